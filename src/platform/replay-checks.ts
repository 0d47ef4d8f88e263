import type { DescMethod, DescService, MessageShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { MaybePromise } from "./maybe-promise.ts";

/**
 * Throws what a caller lacks now to make a call that was made before: the refusals
 * of the call itself, those of its own effect left out. Asked before the answer to
 * an `Idempotency-Key` is given again.
 */
export type ReplayAuthorizer<Method extends DescMethod = DescMethod> = (
  request: MessageShape<Method["input"]>,
  context: HandlerContext,
) => MaybePromise<void>;

/** The checks of a service's methods that take an `Idempotency-Key`. */
export type IdempotencyReplayAuthorizers<Service extends DescService = DescService> = {
  readonly [Name in keyof Service["method"]]?: ReplayAuthorizer<Service["method"][Name]>;
};

/** For methods that need no more of their caller than what is checked of every call: credential and scope. */
export function allowAnyReplay(): void {}
