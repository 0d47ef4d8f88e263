import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import { UserEntity } from "./user.entity.ts";

/** A signed-in person's session, its token as a keyed hash only. Ended sessions stay, as cursors. */
export const SessionEntity = defineEntity({
  name: "Session",
  tableName: "sessions",
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    user: () => p.manyToOne(UserEntity),
    /** HMAC-SHA-256 of the token, base64url. */
    tokenHash: p.text().unique("sessions_token_hash_unique"),
    pepperId: p.text(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).strictNullable(),
    expiresAt: p.datetime(3),
    endedAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: "sessions_user_id_index", properties: ["user"] }],
});

export type Session = InferEntity<typeof SessionEntity>;
