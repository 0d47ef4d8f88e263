import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import type { CallerKeyScope } from "../platform/principal.ts";
import type { CallTags } from "../domain/call-tags.ts";
import {
  modelOrAgentModes,
  paymentRoutePreferences,
  type KeyBudget,
  type KeyRequestLimits,
} from "../domain/caller-key.ts";
import { UserEntity } from "./user.entity.ts";

/**
 * A caller key without its secret. It belongs to a user, or to a team when
 * `teamId` is set; `accountId` is whichever of the two. Revoked keys stay.
 */
export const CallerKeyEntity = defineEntity({
  name: "CallerKey",
  tableName: "caller_keys",
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    /** Owner of a user's key, creator of a team key. */
    user: () => p.manyToOne(UserEntity),
    teamId: p.text().strictNullable(),
    name: p.text(),
    /** First ten characters of the live secret, for recognising it. */
    prefix: p.text(),
    scopes: p.array().$type<CallerKeyScope[]>(),
    route: p.enum(paymentRoutePreferences),
    mode: p.enum(modelOrAgentModes),
    /** Patterns with `*`; empty: every model. */
    allowedModels: p.array(),
    budget: p.json<KeyBudget>().strictNullable(),
    rateLimit: p.json<KeyRequestLimits>().strictNullable(),
    /** Null: none. */
    tags: p.json<CallTags>().strictNullable(),
    createdAt: p.datetime(3),
    rotatedAt: p.datetime(3).strictNullable(),
    expiresAt: p.datetime(3).strictNullable(),
    /** To the minute. */
    lastUsedAt: p.datetime(3).strictNullable(),
    revokedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    { name: "caller_keys_account_id_index", properties: ["accountId"] },
    { name: "caller_keys_user_id_index", properties: ["user"] },
  ],
});

export type CallerKeyRow = InferEntity<typeof CallerKeyEntity>;
