import type { EntityManager } from "@mikro-orm/postgresql";
import { maxJsonValues } from "../../dialect/value-limit.ts";
import { StoredJsonParseBudget } from "../../platform/stored-json-budget.ts";
import { threadTooLargeError } from "../../domain/agent-thread.ts";
import type { DurableTurnService, ThreadTurn, ThreadTurnStore } from "../../domain/durable-turn.ts";
import { notFoundError } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { findPage, type Page, type PageRequest } from "../../platform/pagination.ts";
import { AgentThreadEntity, type AgentThread } from "./agent-thread.entity.ts";

/** Threads of an account, oldest first. A deleted one is a cursor until it would have passed its time. */
export function listThreads(
  em: EntityManager,
  accountId: string,
  request: PageRequest,
  now: number,
): Promise<Page<AgentThread>> {
  return findPage(em, AgentThreadEntity, request, {
    everListedFilter: { accountId },
    listed: { deletedAt: null, expiresAt: { $gt: new Date(now) } },
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (session) => ({ session }),
  });
}

/** Throws 404. */
export async function getSessionThread(
  em: EntityManager,
  accountId: string,
  session: string,
  now: number,
): Promise<AgentThread> {
  const alive = { deletedAt: null, expiresAt: { $gt: new Date(now) } };
  const thread = await em.findOne(AgentThreadEntity, { accountId, session, ...alive });
  if (thread === null) throw notFoundError("thread");
  return thread;
}

/** MiB of the stored turns of a thread that is shown whole. */
const maxShownMib = 32;

/** Loads the turns of a thread to show them. Throws 413 if they are too large for one response, or what `hold` throws. */
export async function loadThreadTurns(
  turns: Pick<ThreadTurnStore, "bytes" | "ofThread">,
  threadId: string,
  hold: MemoryReserver,
): Promise<readonly ThreadTurn[]> {
  const bytes = await turns.bytes(threadId);
  if (bytes > maxShownMib * 1024 * 1024) throw threadTooLargeError(`${maxShownMib} MiB`);
  hold(bytes);
  return turns.ofThread(threadId, new StoredJsonParseBudget(hold, maxJsonValues));
}

/** Where the turns of a thread are ended and deleted. */
export interface ThreadDeletionDependencies {
  readonly durable: Pick<DurableTurnService, "delete">;
  readonly turns: Pick<ThreadTurnStore, "running" | "deleteEnded">;
}

/** Deletes a thread with its turns: from then on none can be added to it. One that runs is cancelled. */
export async function deleteThread(
  em: EntityManager,
  { durable, turns }: ThreadDeletionDependencies,
  { id, accountId }: AgentThread,
  now: number,
): Promise<void> {
  await em.nativeUpdate(AgentThreadEntity, { id }, { deletedAt: new Date(now), history: null });
  const running = await turns.running(id);
  await turns.deleteEnded(id);
  if (running !== undefined) await durable.delete(accountId, running);
}
