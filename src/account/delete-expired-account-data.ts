import type { EntityManager } from "@mikro-orm/postgresql";
import { OutgoingMailSchema } from "../platform/mail/outgoing-mail.entity.ts";
import { IdempotencyRecordSchema } from "./idempotency-record.entity.ts";
import { OpenStreamSchema } from "./open-stream.entity.ts";
import { SignInCodeSchema } from "./sign-in-code.entity.ts";

/** The longest window that requests to sign in are counted over. */
const signInCodeRetentionMs = 24 * 60 * 60_000;
const finishedMailRetentionMs = 7 * 24 * 60 * 60_000;
/** Long after its lease, however the clocks of two machines differ. */
const staleStreamRetentionMs = 60 * 60_000;

/** Deletes what nobody needs any more. To be called now and then, by any process. */
export async function deleteExpiredAccountData(em: EntityManager, now: number): Promise<void> {
  await em.nativeDelete(IdempotencyRecordSchema, { expiresAt: { $lte: new Date(now) } });
  await em.nativeDelete(OpenStreamSchema, {
    leaseUntil: { $lt: new Date(now - staleStreamRetentionMs) },
  });
  await em.nativeDelete(SignInCodeSchema, {
    createdAt: { $lt: new Date(now - signInCodeRetentionMs) },
  });
  await em.nativeDelete(OutgoingMailSchema, {
    state: { $in: ["sent", "failed"] },
    createdAt: { $lt: new Date(now - finishedMailRetentionMs) },
  });
}
