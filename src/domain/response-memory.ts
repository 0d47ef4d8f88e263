import type { HandlerContext } from "@connectrpc/connect";
import { createAccountBodyMemoryOwner } from "../platform/body-holder.ts";
import type { RequestBodyMemoryBudget } from "../platform/body-memory-budget.ts";
import type { MemoryReserver } from "../platform/hold-memory.ts";

/**
 * Counts what a response holds to its account, until the request has ended. The reserver throws the
 * reason of the signal when that was earlier: nothing would release what it counted.
 */
export function createResponseMemoryReserver(
  bodies: RequestBodyMemoryBudget,
  accountId: string,
  { signal }: HandlerContext,
): MemoryReserver {
  const memory = bodies.allocate(createAccountBodyMemoryOwner(accountId));
  signal.addEventListener("abort", () => memory.release(), { once: true });
  return (bytes) => {
    signal.throwIfAborted();
    return memory.hold(bytes);
  };
}
