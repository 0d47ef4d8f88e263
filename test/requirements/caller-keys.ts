import { tested, type Requirement } from "./requirement.ts";

/** Caller keys, and who may call what. */
export const callerKeys: readonly Requirement[] = tested([
  [
    "auth.headers",
    "A key goes as Authorization: Bearer or as x-api-key.",
    "contract/refusals > may stand in both headers if they say the same",
    "gateway/route/refusals > take the key from either header",
  ],
  [
    "auth.scopes",
    "There are five scopes.",
    "contract/proto > %s is spelled as callers know it",
    "contract/caller-keys > is %s for %s, and no other will do",
  ],
  [
    "auth.model-calls",
    "Model calls need gateway:invoke; a session is not enough.",
    "contract/caller-keys > is %s for %s, and no other will do",
    "contract/sessions > may not call %s",
  ],
  [
    "auth.endpoints",
    "Endpoint operations take a key with the scope, or a session.",
    "contract/operations > is open to a key that holds just its scope",
    "contract/operations > succeeds over REST",
  ],
  [
    "auth.unknown",
    "A missing, malformed or unknown key is 401 unauthorized.",
    "contract/refusals > that is unknown is 401: %s",
    "contract/refusals > that is malformed is 401: %s",
    "contract/operations > is refused to an unknown credential",
  ],
  [
    "auth.refused",
    "A revoked key, a missing scope or a closed route is 403.",
    "contract/operations > is refused to a revoked key with 403",
    "contract/operations > is refused to every credential that its policy does not name",
  ],
  [
    "auth.redacted",
    "Header values of endpoints are redacted for keys.",
    "contract/endpoints > shows header values to a session and to no key",
  ],
  [
    "auth.any-key",
    "count_tokens and models take any live key and no scope.",
    "gateway/rpc/models > needs a live key and no scope, and is what official clients read",
  ],
  [
    "auth.aliases",
    "Alias operations take a key with the scope, or a session.",
    "contract/operations > is open to a key that holds just its scope",
  ],
  [
    "auth.teams",
    "Team operations take a key with the scope, or a session.",
    "contract/operations > is open to a key that holds just its scope",
    "contract/operations > is refused to every credential that its policy does not name",
  ],
  [
    "auth.team-key",
    "A team key sees only its own team.",
    "team/team-keys > sees its own team alone",
  ],
  [
    "key.fields",
    "An ApiKey has every field of its message.",
    "contract/caller-keys > has every field of the contract, and the defaults",
  ],
  [
    "key.prefix",
    "prefix is the first 10 characters.",
    "contract/caller-keys > has every field of the contract, and the defaults",
  ],
  [
    "key.scopes",
    "Scopes omitted: gateway:invoke; an empty list is kept.",
    "contract/caller-keys > has every field of the contract, and the defaults",
    "contract/caller-keys > takes every setting, and no scope at all",
  ],
  [
    "key.route",
    "route is byo, credits or auto, auto by default.",
    "contract/caller-keys > has every field of the contract, and the defaults",
  ],
  [
    "key.mode",
    "mode is model or agent, model by default.",
    "contract/caller-keys > has every field of the contract, and the defaults",
  ],
  [
    "key.allowed-models",
    "allowed_models are patterns with *; empty: all.",
    "contract/model-calls > is looked at after the key's own limits: allowed_models",
    "gateway/routing/allows-model > means what the regular expression would mean",
  ],
  [
    "key.budget-shape",
    "budget has limit_usd, window and spent_usd.",
    "contract/caller-keys > takes every setting, and no scope at all",
  ],
  [
    "key.rate-limit",
    "rate_limit has requests_per_minute and burst, and holds.",
    "contract/model-calls > gives 429 in the dialect, with the headers on every answer",
    "contract/model-calls > follows a change of the key",
  ],
  [
    "key.last-used",
    "last_used_at tells the last use.",
    "contract/caller-keys > show when they were last used",
  ],
  [
    "key.maker-scopes",
    "A key's scopes never exceed its maker's.",
    "contract/operations > is refused to every credential that its policy does not name",
  ],
  [
    "key.budget",
    "The budget of a key holds per day, month or in total.",
    "wallet/wallet > refuse what does not fit and show what was spent",
  ],
  [
    "refused.expired",
    "Expired keys are 403 insufficient_scope.",
    "contract/caller-keys > when it has expired",
  ],
  [
    "refused.rotated",
    "Rotated-away secrets are 403.",
    "contract/caller-keys > when it is rotated: the old secret is refused",
  ],
  [
    "refused.disabled",
    "Keys of a disabled user are 403.",
    "contract/caller-keys > while its user is disabled, and works again afterwards",
  ],
  [
    "refused.session-ended",
    "An ended session is 401.",
    "contract/sessions > that is revoked is 401",
    "contract/sessions > that signs out is 401",
    "contract/sessions > of a user who is disabled is 401",
  ],
  [
    "refused.session-on-models",
    "A session on a model call is 403.",
    "contract/sessions > may not call %s",
  ],
  [
    "refused.key-on-session-route",
    "A caller key on a session or operator route is 403.",
    "contract/refusals > of one kind is 403 where another kind is needed",
  ],
  [
    "refused.operator-token",
    "A wrong operator token is 401.",
    "contract/refusals > that is unknown is 401: %s",
  ],
  [
    "refused.not-read",
    "Routes that need no credential do not read one.",
    "contract/refusals > is not read where none is needed",
  ],
  [
    "refused.two-headers",
    "Both credential headers with different values are 401.",
    "contract/refusals > may stand in both headers if they say the same",
    "gateway/route/refusals > refuse %s",
  ],
  [
    "refused.session-on-lists",
    "A session on count_tokens or models is 403.",
    "gateway/rpc/models > needs a live key and no scope, and is what official clients read",
  ],
]);
