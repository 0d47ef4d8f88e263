import { asString } from "../../dialect/json.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import { ApiError } from "../../platform/errors.ts";
import {
  discardResponse,
  readResponseBody,
  type UpstreamRequestDependencies,
  type UpstreamResponse,
} from "../upstream/send-upstream-request.ts";
import type { UpstreamTarget } from "../upstream/call-target.ts";
import { createCallFailure } from "../call/call-failure.ts";
import { createPeakMemoryReserver } from "../call/hold-peak.ts";
import { readSmallMembers } from "../call/read-call-body.ts";
import { UpstreamRequestError } from "../upstream/upstream-request-error.ts";
import {
  requireRelayableResponse,
  type RelayableResponse,
} from "../pass-through/pass-through-response.ts";
import { isModelAllowed } from "../routing/allows-model.ts";
import { sendResponseQuery, toWholeObjectQuery, type ResponseQuery } from "./response-query.ts";

/** A response whose model has to be known is read whole, up to so much. */
const maxReadBytes = 16 * 1024 * 1024;

/** Statuses that say nothing of the id: the credential, the moment or the upstream is at fault. */
const notFoundStatuses: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/**
 * The response object as one upstream has it; undefined: it does not know the id, or
 * the key may not use the model. Throws an `UpstreamRequestError` when it could not say.
 */
export async function fetchUpstreamStoredResponse(
  dependencies: UpstreamRequestDependencies,
  target: UpstreamTarget,
  question: ResponseQuery,
  key: CallerKey,
): Promise<RelayableResponse | undefined> {
  const answer = await sendResponseQuery(dependencies, target, toWholeObjectQuery(question));
  if (isUnknown(answer)) {
    discardResponse(answer);
    return undefined;
  }
  const passed = await requireRelayableResponse(target, answer);
  return key.allowedModels.length === 0
    ? passed
    : withAllowedModel(target, passed, answer, { ...key, hold: question.hold });
}

function isUnknown({ status }: UpstreamResponse): boolean {
  return status >= 400 && status < 500 && !notFoundStatuses.has(status);
}

async function withAllowedModel(
  target: UpstreamTarget,
  passed: RelayableResponse,
  answer: UpstreamResponse,
  { allowedModels, hold }: CallerKey & Pick<ResponseQuery, "hold">,
): Promise<RelayableResponse | undefined> {
  const body = await readResponseBody(answer, maxReadBytes, createPeakMemoryReserver(hold)).catch(
    (error: unknown) => {
      if (error instanceof ApiError) throw error;
    },
  );
  if (body === undefined) throw unreadableError(target);
  const model = modelIn(body);
  const isAllowed = model !== undefined && isModelAllowed(allowedModels, `${target.name}/${model}`);
  return isAllowed ? { ...passed, body } : undefined;
}

function unreadableError({ name }: UpstreamTarget): UpstreamRequestError {
  const message = `The answer of the upstream \`${name}\` broke off or is too large to be looked into.`;
  return new UpstreamRequestError(createCallFailure("upstream_malformed", message));
}

function modelIn(body: Buffer): string | undefined {
  try {
    return asString(readSmallMembers(body, ["model"])["model"]);
  } catch {
    return undefined;
  }
}
