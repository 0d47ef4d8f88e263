import type { EntityManager } from "@mikro-orm/postgresql";
import { OutgoingMailEntity } from "../platform/mail/outgoing-mail.entity.ts";
import { IdempotencyRecordEntity } from "./idempotency-record.entity.ts";
import { OpenStreamEntity } from "./open-stream.entity.ts";
import { SignInCodeEntity } from "./sign-in-code.entity.ts";

/** The longest window that requests to sign in are counted over. */
const signInCodeRetentionMs = 24 * 60 * 60_000;
const finishedMailRetentionMs = 7 * 24 * 60 * 60_000;
/** Long after its lease, however the clocks of two machines differ. */
const staleStreamRetentionMs = 60 * 60_000;

/** Deletes what nobody needs any more. To be called now and then, by any process. */
export async function deleteExpiredAccountData(em: EntityManager, now: number): Promise<void> {
  await em.nativeDelete(IdempotencyRecordEntity, { expiresAt: { $lte: new Date(now) } });
  await em.nativeDelete(OpenStreamEntity, {
    leaseUntil: { $lt: new Date(now - staleStreamRetentionMs) },
  });
  await em.nativeDelete(SignInCodeEntity, {
    createdAt: { $lt: new Date(now - signInCodeRetentionMs) },
  });
  await em.nativeDelete(OutgoingMailEntity, {
    state: { $in: ["sent", "failed"] },
    createdAt: { $lt: new Date(now - finishedMailRetentionMs) },
  });
}
