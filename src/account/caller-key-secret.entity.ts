import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import { CallerKeyEntity } from "./caller-key.entity.ts";

/**
 * A secret of a caller key, as a keyed hash only. Rotation retires the row and
 * keeps it, so that the old secret is refused as rotated (403), not as unknown.
 */
export const CallerKeySecretEntity = defineEntity({
  name: "CallerKeySecret",
  tableName: "caller_key_secrets",
  properties: {
    /** HMAC-SHA-256 of the secret, base64url. */
    hash: p.text().primary(),
    pepperId: p.text(),
    accountId: p.text(),
    key: () => p.manyToOne(CallerKeyEntity),
    createdAt: p.datetime(3),
    retiredAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: "caller_key_secrets_key_id_index", properties: ["key"] }],
});

export type CallerKeySecretRow = InferEntity<typeof CallerKeySecretEntity>;
