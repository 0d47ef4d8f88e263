import type { EntityManager } from "@mikro-orm/postgresql";
import { ConsumedCallerToolReplyEntity } from "./taken-answer.entity.ts";
import { DurableTurnEntity } from "./turn.entity.ts";

/** The engine needs a task no more that has ended; so long it can be looked at. */
const finishedTaskRetentionSeconds = 24 * 60 * 60;

/** Deletes what has passed its time. To be called now and then, by any process. */
export async function deleteExpiredTurns(em: EntityManager, now: number): Promise<void> {
  await em.nativeDelete(DurableTurnEntity, { expiresAt: { $lte: new Date(now) } });
  // A thread that goes on keeps the request that was answered, and who asks again.
  await em.execute(
    `delete from "turn_answers" where "expires_at" <= ? and not exists (
       select from "turns" where "turns"."thread_id" = "turn_answers"."thread_id"
     )`,
    [new Date(now)],
  );
  await em.execute(`select absurd.cleanup_tasks('turns', ${finishedTaskRetentionSeconds})`);
}

/** Deletes what an account has; it is being deleted itself. */
export async function eraseTurns(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(DurableTurnEntity, { accountId });
  await em.nativeDelete(ConsumedCallerToolReplyEntity, { accountId });
}
