import { createHash } from "node:crypto";
import { fromBinary, toBinary, type Message } from "@bufbuild/protobuf";
import type { Interceptor, UnaryRequest } from "@connectrpc/connect";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import type {
  IdempotencyAttemptHandle,
  IdempotencyState,
  IdempotentRequest,
} from "../../platform/idempotency.ts";
import type { Principal } from "../../platform/principal.ts";
import { principalKey } from "../../platform/request-context.ts";
import { idempotentReplayerKey } from "../replayed-response.ts";
import { readMethodPolicy } from "../../contract/method-policy.ts";
import { httpRequestScopeKey } from "../request-scope.ts";

/** Where uses are kept; implemented by the account domain. */
export interface IdempotencyRecordStore {
  /** Starts an attempt, or says what became of an earlier one. */
  begin(use: IdempotentRequest): Promise<IdempotencyState>;
}

type NextCall = Parameters<Interceptor>[0];

type Earlier = Extract<IdempotencyState, { readonly kind: "running" | "completed" }>;

const maxKeyLength = 255;

/**
 * Runs a call with an `Idempotency-Key` once and gives its answer again, on the methods
 * whose policy takes one. Only successes are kept: a refused call has changed nothing and
 * may be repeated. The answer is given where the method is implemented, to a caller who may
 * have it (`wrapHandlerWithReplay`).
 */
export function createIdempotencyInterceptor(store: IdempotencyRecordStore): Interceptor {
  return (next) => async (request) => {
    if (request.stream || !readMethodPolicy(request.method).idempotent) return next(request);
    const key = request.header.get("idempotency-key");
    if (key === null) return next(request);
    const state = await store.begin(useOf(request, key));
    if (state.kind === "other_body") throw bodyMismatchError();
    if (state.kind === "started") return run(request, state.attempt, next);
    request.contextValues.set(idempotentReplayerKey, () => storedResponse(request, state));
    return next(request);
  };
}

function stillRunning(): ApiError {
  return new ApiError("conflict", "A request with this `Idempotency-Key` is still running.");
}

function bodyMismatchError(): ApiError {
  return invalidRequestError(
    "Idempotency-Key",
    "This `Idempotency-Key` was used with another request; use a new one.",
  );
}

function useOf(request: UnaryRequest, key: string): IdempotentRequest {
  if (key.length === 0 || key.length > maxKeyLength) {
    throw invalidRequestError(
      "Idempotency-Key",
      `\`Idempotency-Key\` must have 1 to ${maxKeyLength.toString()} characters.`,
    );
  }
  const principal = request.contextValues.get(principalKey);
  const body = toBinary(request.method.input, request.message);
  return {
    accountId: accountOf(principal),
    route: `${request.service.typeName}/${request.method.name}`,
    key,
    // With the kind: a session is shown header values that a caller key must not see.
    bodyHash: createHash("sha256").update(principal.kind).update(body).digest("hex"),
  };
}

function accountOf(principal: Principal): string {
  return "accountId" in principal ? principal.accountId : principal.kind;
}

function storedResponse({ method }: UnaryRequest, state: Earlier): Message {
  if (state.kind === "running") throw stillRunning();
  return fromBinary(method.output, state.response);
}

async function run(
  request: UnaryRequest,
  attempt: IdempotencyAttemptHandle,
  next: NextCall,
): ReturnType<NextCall> {
  let response: Awaited<ReturnType<NextCall>>;
  try {
    response = await next(request);
  } catch (error) {
    await settle(request, attempt.abandon());
    throw error;
  }
  if (!response.stream) {
    await settle(request, attempt.complete(toBinary(request.method.output, response.message)));
  }
  return response;
}

/** The call has happened, so what became of its record cannot change its answer. */
async function settle(request: UnaryRequest, settled: Promise<void>): Promise<void> {
  try {
    await settled;
  } catch (err) {
    request.contextValues
      .get(httpRequestScopeKey)
      ?.log.error({ err }, "idempotency record not settled");
  }
}
