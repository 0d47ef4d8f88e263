import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import type { Scope } from "../platform/principal.ts";
import { UserSchema } from "./user.entity.ts";

/** How much a key may spend of the wallet (contract section 4). */
export interface KeyBudget {
  /** Nano-dollars, as a decimal string: money is never a floating point number. */
  readonly limitNanoUsd: string;
  readonly window: BudgetWindow;
}

/** A request bucket of the key's own, in place of the configured default. */
export interface KeyRateLimit {
  readonly requestsPerMinute: number;
  readonly burst: number;
  /** Model calls under way at once; absent: the configured default. */
  readonly concurrentRequests?: number;
}

export const keyRoutes = ["byo", "credits", "auto"] as const;
export const keyModes = ["model", "agent"] as const;
export const budgetWindows = ["day", "month", "total"] as const;

export type KeyRoute = (typeof keyRoutes)[number];
export type KeyMode = (typeof keyModes)[number];
export type BudgetWindow = (typeof budgetWindows)[number];

/**
 * A caller key without its secret. It belongs to a user, or to a team when
 * `teamId` is set; `accountId` is whichever of the two. Revoked keys stay.
 */
export const CallerKeySchema = defineEntity({
  name: "CallerKey",
  tableName: "caller_keys",
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    /** Owner of a user's key, creator of a team key. */
    user: () => p.manyToOne(UserSchema),
    teamId: p.text().strictNullable(),
    name: p.text(),
    /** First ten characters of the live secret, for recognising it. */
    prefix: p.text(),
    scopes: p.array().$type<Scope[]>(),
    route: p.enum(keyRoutes),
    mode: p.enum(keyModes),
    /** Patterns with `*`; empty: every model. */
    allowedModels: p.array(),
    budget: p.json<KeyBudget>().strictNullable(),
    rateLimit: p.json<KeyRateLimit>().strictNullable(),
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

export type CallerKey = InferEntity<typeof CallerKeySchema>;
