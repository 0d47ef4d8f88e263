import type { Message } from "@bufbuild/protobuf";
import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { ReplayAuthorizer } from "../platform/replay-checks.ts";

/** Gives the answer of the same call made before; throws 409 while it runs. */
export type IdempotentResponseReplayer = () => Message;

/** Set by the idempotency interceptor for a call that was made before. */
export const idempotentReplayerKey = createContextKey<IdempotentResponseReplayer | undefined>(
  undefined,
  {
    description: "earlier answer",
  },
);

type Handle = (request: Message, context: HandlerContext) => unknown;

/** Handles a call, or gives its earlier answer to a caller who could make the call now. */
export function wrapHandlerWithReplay(handle: Handle, mayRepeat: ReplayAuthorizer): Handle {
  return async (request, context) => {
    const earlier = context.values.get(idempotentReplayerKey);
    if (earlier === undefined) return handle(request, context);
    await mayRepeat(request, context);
    return earlier();
  };
}
