import type { HandlerContext } from "@connectrpc/connect";
import { createAccountBodyOwner } from "../platform/body-holder.ts";
import type { BodyMemoryBudget } from "../platform/body-memory-budget.ts";
import type { MemoryReserver } from "../platform/hold-memory.ts";

/** Counts what a response holds to its account, until the request has ended. */
export function createResponseMemoryReserver(
  bodies: BodyMemoryBudget,
  accountId: string,
  { signal }: HandlerContext,
): MemoryReserver {
  const memory = bodies.allocate(createAccountBodyOwner(accountId));
  signal.addEventListener("abort", () => memory.release(), { once: true });
  return (bytes) => memory.hold(bytes);
}
