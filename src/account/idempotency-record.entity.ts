import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/** One use of an `Idempotency-Key` by an account on a route, kept for 24 hours. */
export const IdempotencyRecordEntity = defineEntity({
  name: "IdempotencyRecord",
  tableName: "idempotency_records",
  properties: {
    /** SHA-256 of account, route and key. */
    id: p.text().primary(),
    accountId: p.text(),
    bodyHash: p.text(),
    /** Names the attempt that may complete the record. */
    attempt: p.text(),
    /** When another attempt may start because this one never ended; null once completed. */
    leaseUntil: p.datetime(3).strictNullable(),
    /** The sealed answer; null while the attempt runs. */
    response: p.text().strictNullable(),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: "idempotency_records_expires_at_index", properties: ["expiresAt"] }],
});

export type IdempotencyRecord = InferEntity<typeof IdempotencyRecordEntity>;
