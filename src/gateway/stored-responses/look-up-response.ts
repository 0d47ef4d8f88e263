import { asString } from "../../dialect/json.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import { ApiError } from "../../platform/errors.ts";
import {
  discardUpstreamResponse,
  readUpstreamResponseBody,
  type UpstreamRequestDependencies,
  type UpstreamResponse,
} from "../upstream/send-upstream-request.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { createCallFailure } from "../call/call-failure.ts";
import { createUpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import { parseSmallJsonMembers } from "../call/read-call-body.ts";
import { UpstreamFailureError } from "../upstream/upstream-request-error.ts";
import {
  requireRelayableResponse,
  type RelayableResponse,
} from "../pass-through/pass-through-response.ts";
import { isModelAllowed } from "../routing/allows-model.ts";
import {
  sendStoredResponseQueryToUpstream,
  toWholeUpstreamResponseQuery,
  type UpstreamResponseQuery,
} from "./response-query.ts";

/** A response whose model has to be known is read whole, up to so much. */
const maxReadBytes = 16 * 1024 * 1024;

/** Statuses that say nothing of the id: the credential, the moment or the upstream is at fault. */
const notFoundStatuses: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/**
 * The response object as one upstream has it; undefined: it does not know the id, or
 * the key may not use the model. Throws an `UpstreamFailureError` when it could not say.
 */
export async function fetchUpstreamResponseObject(
  dependencies: UpstreamRequestDependencies,
  target: ResolvedUpstream,
  question: UpstreamResponseQuery,
  key: CallerKey,
): Promise<RelayableResponse | undefined> {
  const answer = await sendStoredResponseQueryToUpstream(
    dependencies,
    target,
    toWholeUpstreamResponseQuery(question),
  );
  if (isUnknown(answer)) {
    discardUpstreamResponse(answer);
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
  target: ResolvedUpstream,
  passed: RelayableResponse,
  answer: UpstreamResponse,
  { allowedModels, hold }: CallerKey & Pick<UpstreamResponseQuery, "hold">,
): Promise<RelayableResponse | undefined> {
  const body = await readUpstreamResponseBody(
    answer,
    maxReadBytes,
    createUpstreamDataMemoryCounter(hold),
  ).catch((error: unknown) => {
    if (error instanceof ApiError) throw error;
  });
  if (body === undefined) throw unreadableError(target);
  const model = modelIn(body);
  const isAllowed = model !== undefined && isModelAllowed(allowedModels, `${target.name}/${model}`);
  return isAllowed ? { ...passed, body } : undefined;
}

function unreadableError({ name }: ResolvedUpstream): UpstreamFailureError {
  const message = `The answer of the upstream \`${name}\` broke off or is too large to be looked into.`;
  return new UpstreamFailureError(createCallFailure("upstream_malformed", message));
}

function modelIn(body: Buffer): string | undefined {
  try {
    return asString(parseSmallJsonMembers(body, ["model"])["model"]);
  } catch {
    return undefined;
  }
}
