import type { EntityManager } from "@mikro-orm/postgresql";
import { AgentThreadEntity } from "./agent-thread.entity.ts";

/** Deletes the turns of threads, which are another domain's. */
export type ThreadTurnEraser = (em: EntityManager, threadIds: readonly string[]) => Promise<void>;

/** Threads that are deleted at once. */
const batchSize = 500;

/** Deletes what has passed its time, with its turns. To be called now and then, by any process. */
export async function deleteExpiredThreads(
  em: EntityManager,
  now: number,
  eraseTurnsOf: ThreadTurnEraser,
): Promise<void> {
  for (;;) {
    const expired = await em.find(
      AgentThreadEntity,
      { expiresAt: { $lte: new Date(now) } },
      { fields: ["id"], limit: batchSize, orderBy: { expiresAt: "asc" }, disableIdentityMap: true },
    );
    const ids = expired.map(({ id }) => id);
    await eraseTurnsOf(em, ids);
    // One that a new turn has prolonged since is another by now, and has another id.
    await em.nativeDelete(AgentThreadEntity, {
      id: { $in: ids },
      expiresAt: { $lte: new Date(now) },
    });
    if (ids.length < batchSize) return;
  }
}

/** Deletes what an account has; it is being deleted itself. */
export async function eraseThreads(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(AgentThreadEntity, { accountId });
}
