import type { DescEnum } from "@bufbuild/protobuf";
import {
  KeyModeSchema,
  KeyRouteSchema,
  UpdateKeyRequestSchema,
  type CreateKeyRequest,
  type UpdateKeyRequest,
} from "../../gen/ts/causeway/account/v1/key_pb.ts";
import type { CreateUserKeyRequest } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { ScopeSchema } from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { enumNumberToName } from "../contract/enum-name.ts";
import type { ModelOrAgentMode, PaymentRoutePreference } from "../domain/caller-key.ts";
import { invalidRequestError } from "../platform/errors.ts";
import { readFieldMaskPaths } from "../platform/field-mask.ts";
import { requestTimestampToDate } from "../platform/read-timestamp.ts";
import type { CallerKeyScope } from "../platform/principal.ts";
import { recordToMap } from "../platform/lookup-table.ts";
import {
  toKeyBudget,
  readCallerKeyLimitPatch,
  readKeyRateLimit,
  type CallerKeyLimitPatch,
} from "./key-limit-patch.ts";
import type { CallerKeyPatch, CallerKeySettings } from "./key-settings.ts";

/** What the requests that make and change keys have in common. */
type SettingsMessage = Pick<
  UpdateKeyRequest,
  | "name"
  | "scopes"
  | "route"
  | "mode"
  | "allowedModels"
  | "budget"
  | "rateLimit"
  | "tags"
  | "expiresAt"
>;

/** The settings of a new key that were sent. */
export function readNewCallerKeySettings(
  request: CreateKeyRequest | CreateUserKeyRequest,
): CallerKeyPatch {
  const sent = new Set<string>(["allowed_models", "budget", "rate_limit", "tags", "expires_at"]);
  if (request.name !== undefined) sent.add("name");
  if (request.route !== undefined) sent.add("route");
  if (request.mode !== undefined) sent.add("mode");
  if (request.scopesGiven || request.scopes.length > 0) sent.add("scopes");
  return settingsOf(request, sent);
}

/** What a PATCH changes: whole settings, and members of those that are objects. */
export interface CallerKeyUpdate {
  /** What is named and not set is cleared. */
  readonly changes: CallerKeyPatch;
  readonly limitPatch: CallerKeyLimitPatch;
}

/** The settings that a PATCH changes. */
export function readCallerKeyUpdate(request: UpdateKeyRequest): CallerKeyUpdate {
  const changed = readFieldMaskPaths(
    UpdateKeyRequestSchema,
    request,
    ["id"],
    ["budget", "rate_limit"],
  );
  return {
    changes: settingsOf(request, changed),
    limitPatch: readCallerKeyLimitPatch(request, changed),
  };
}

function settingsOf(message: SettingsMessage, sent: ReadonlySet<string>): CallerKeyPatch {
  const all = recordToMap<() => CallerKeyPatch>({
    name: () => ({ name: present("name", message.name) }),
    scopes: () => ({ scopes: scopesOf(message) }),
    route: () => ({
      route: nameOf("route", KeyRouteSchema, message.route) as PaymentRoutePreference,
    }),
    mode: () => ({ mode: nameOf("mode", KeyModeSchema, message.mode) as ModelOrAgentMode }),
    allowed_models: () => ({ allowedModels: [...message.allowedModels] }),
    budget: () => ({ budget: toKeyBudget(message.budget) }),
    rate_limit: () => ({ rateLimit: readKeyRateLimit(message.rateLimit) }),
    tags: () => ({ tags: Object.keys(message.tags).length === 0 ? null : message.tags }),
    expires_at: () => ({
      expiresAt:
        message.expiresAt === undefined
          ? null
          : requestTimestampToDate(message.expiresAt, "expires_at"),
    }),
  });
  return Object.assign(
    {},
    ...[...sent].map((field) => all.get(field)?.()),
  ) as Partial<CallerKeySettings>;
}

function scopesOf({ scopes }: SettingsMessage): CallerKeySettings["scopes"] {
  return [...new Set(scopes)].map(
    (scope, index) => nameOf(`scopes[${index.toString()}]`, ScopeSchema, scope) as CallerKeyScope,
  );
}

function nameOf(param: string, desc: DescEnum, number: number | undefined): string {
  return present(param, enumNumberToName(desc, number));
}

function present<Value>(param: string, value: Value | undefined): Value {
  if (value === undefined) throw invalidRequestError(param, `\`${param}\` must have a value.`);
  return value;
}
