import type { EntityManager } from "@mikro-orm/postgresql";
import type { DurableTurnService, ThreadTurnStore } from "../../domain/durable-turn.ts";
import { notFoundError } from "../../platform/errors.ts";
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
