import { asObject, asString } from "../../dialect/json.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import {
  dropAnswer,
  readAnswer,
  type AskDependencies,
  type UpstreamAnswer,
} from "../dial/ask-upstream.ts";
import type { CallTarget } from "../dial/call-target.ts";
import { failure } from "../call/call-failure.ts";
import { UpstreamFailure } from "../dial/upstream-failure.ts";
import { passedAnswer, type PassedAnswer } from "../relay/passed-answer.ts";
import { allowsModel } from "../routing/allows-model.ts";
import { askAbout, plainQuestion, type ResponseQuestion } from "./response-question.ts";

/** A response whose model has to be known is read whole, up to so much. */
const largestReadBytes = 16 * 1024 * 1024;

/** Statuses that say nothing of the id: the credential, the moment or the upstream is at fault. */
const silentStatuses: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/**
 * The response object as one upstream has it; undefined: it does not know the id, or
 * the key may not use the model. Throws an `UpstreamFailure` when it could not say.
 */
export async function lookUpResponse(
  dependencies: AskDependencies,
  target: CallTarget,
  question: ResponseQuestion,
  key: CallerKey,
): Promise<PassedAnswer | undefined> {
  const answer = await askAbout(dependencies, target, plainQuestion(question));
  if (isUnknown(answer)) {
    dropAnswer(answer);
    return undefined;
  }
  const passed = await passedAnswer(target, answer);
  return key.allowedModels.length === 0 ? passed : withAllowedModel(target, passed, answer, key);
}

function isUnknown({ status }: UpstreamAnswer): boolean {
  return status >= 400 && status < 500 && !silentStatuses.has(status);
}

async function withAllowedModel(
  target: CallTarget,
  passed: PassedAnswer,
  answer: UpstreamAnswer,
  { allowedModels }: CallerKey,
): Promise<PassedAnswer | undefined> {
  const body = await readAnswer(answer, largestReadBytes).catch(() => undefined);
  if (body === undefined) throw unread(target);
  const model = modelIn(body);
  const isAllowed = model !== undefined && allowsModel(allowedModels, `${target.name}/${model}`);
  return isAllowed ? { ...passed, body } : undefined;
}

function unread({ name }: CallTarget): UpstreamFailure {
  const message = `The answer of the upstream \`${name}\` broke off or is too large to be looked into.`;
  return new UpstreamFailure(failure("upstream_malformed", message));
}

function modelIn(body: Buffer): string | undefined {
  try {
    return asString(asObject(JSON.parse(body.toString()))?.["model"]);
  } catch {
    return undefined;
  }
}
