import type { CallTags } from "./call-tags.ts";
import type { KeyPrincipal } from "../platform/principal.ts";
import type { RequestRateLimit } from "../platform/rate-limit/request-buckets.ts";

export const paymentRoutePreferences = ["byo", "credits", "auto"] as const;
export const modelOrAgentModes = ["model", "agent"] as const;
export const budgetWindows = ["day", "month", "total"] as const;

/** Where calls may be served (`x-svc-route`): the account's own credentials, the operator's for money, or either. */
export type PaymentRoutePreference = (typeof paymentRoutePreferences)[number];

/** Who answers a call (`x-svc-mode`). */
export type ModelOrAgentMode = (typeof modelOrAgentModes)[number];

/** Over what a key's budget runs. Days and months are UTC. */
export type BudgetWindow = (typeof budgetWindows)[number];

/** A request bucket of a key's own, in place of the configured one. */
export interface KeyRequestLimits extends RequestRateLimit {
  /** Model calls under way at once; absent: the configured limit. */
  readonly concurrentRequests?: number;
}

/** How much a key may spend of the wallet. */
export interface KeyBudget {
  /** Nano-dollars in decimal digits: money is never a floating point number. */
  readonly limitNanoUsd: string;
  readonly window: BudgetWindow;
}

/** A live caller key as a model call needs it. */
export interface CallerKey {
  readonly principal: KeyPrincipal;
  readonly route: PaymentRoutePreference;
  readonly mode: ModelOrAgentMode;
  /** Patterns with `*`; empty: every model. */
  readonly allowedModels: readonly string[];
  /** Undefined: the configured limit. */
  readonly rateLimit: KeyRequestLimits | undefined;
  /** Undefined: it may spend all that the wallet has. */
  readonly budget: KeyBudget | undefined;
  /** Undefined: none. */
  readonly tags: CallTags | undefined;
}
