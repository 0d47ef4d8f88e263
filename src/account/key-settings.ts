import type { CallerKeyScope } from "../platform/principal.ts";
import type { AuditDetails } from "../domain/audit/audit-event.entity.ts";
import type { CallerKeyRow } from "./caller-key.entity.ts";
import type {
  KeyBudget,
  ModelOrAgentMode,
  KeyRequestLimits,
  PaymentRoutePreference,
} from "../domain/caller-key.ts";
import type { CallTags } from "../domain/call-tags.ts";
import { nanoDigitsToUsd } from "../domain/money.ts";
import { parseDisplayName } from "../domain/check-name.ts";

/** What the maker of a key chooses; null: no budget, no bucket of its own, no tags, no end. */
export interface CallerKeySettings {
  readonly name: string;
  readonly scopes: CallerKeyScope[];
  readonly route: PaymentRoutePreference;
  readonly mode: ModelOrAgentMode;
  readonly allowedModels: string[];
  readonly budget: KeyBudget | null;
  readonly rateLimit: KeyRequestLimits | null;
  readonly tags: CallTags | null;
  readonly expiresAt: Date | null;
}

/** The settings of a request that were sent. */
export type CallerKeyPatch = Partial<CallerKeySettings>;

/** Settings that are not sent at creation. */
export const defaultCallerKeySettings: CallerKeySettings = {
  name: "unnamed",
  scopes: ["gateway:invoke"],
  route: "auto",
  mode: "model",
  allowedModels: [],
  budget: null,
  rateLimit: null,
  tags: null,
  expiresAt: null,
};

/** Checks what the contract's field rules do not: the name, trimmed. Throws 400 with `param`. */
export function normalizeCallerKeyPatch(changes: CallerKeyPatch): CallerKeyPatch {
  return changes.name === undefined
    ? changes
    : { ...changes, name: parseDisplayName(changes.name) };
}

/** The settings of a key for the audit log, in the spelling of the REST body. */
export function serializeKeySettingsForAudit(key: CallerKeyRow): AuditDetails {
  return {
    name: key.name,
    ...(key.teamId === null ? {} : { team_id: key.teamId }),
    scopes: key.scopes,
    route: key.route,
    mode: key.mode,
    allowed_models: key.allowedModels,
    budget: key.budget && {
      limit_usd: nanoDigitsToUsd(key.budget.limitNanoUsd),
      window: key.budget.window,
    },
    rate_limit: key.rateLimit && {
      requests_per_minute: key.rateLimit.requestsPerMinute,
      burst: key.rateLimit.burst,
      ...(key.rateLimit.concurrentRequests !== undefined && {
        concurrent_requests: key.rateLimit.concurrentRequests,
      }),
    },
    tags: { ...key.tags },
    expires_at: key.expiresAt?.toISOString() ?? null,
  };
}
