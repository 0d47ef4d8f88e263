import { tested, type Requirement } from "./requirement.ts";

/** Contract sections 4 and 5 without the operation table. */
export const contractIdentity: readonly Requirement[] = [
  ...tested("contract 4", [
    [
      "identity.ids",
      "Ids are a prefix and 26 time-ordered lower-case base32 characters.",
      "contract/caller-keys > has every field of the contract, and the defaults",
      "contract/operator > are made with 201 and every field of the contract",
      "contract/refusals > is on successes and refusals alike, on both ports",
    ],
    [
      "identity.invite-code",
      "Invite codes are inv_ and 160 random bits in base62.",
      "platform/crypto/token > have the contract's forms",
    ],
    [
      "identity.key-form",
      "A caller key is cwk_, 43 base62 characters and a CRC32 in 6.",
      "contract/caller-keys > has a secret of the published form, shown this once",
      "platform/crypto/token > pins the checksum",
    ],
    [
      "identity.junk",
      "Junk is refused without a look-up.",
      "account/key-directory > junk is refused without a look-up",
    ],
    [
      "identity.session",
      "A session token goes as bearer or as the cookie causeway_session.",
      "contract/sessions > calls by bearer and by cookie",
    ],
    [
      "identity.cookie",
      "The cookie is HttpOnly and SameSite=Lax.",
      "contract/sessions > sets the cookie: HttpOnly, SameSite=Lax, Secure behind https",
    ],
    [
      "identity.operator-token",
      "The operator token is what the variable says; generated ones are cwa_….",
      "platform/configuration/configuration > generates both once, with mode 0600",
    ],
    [
      "identity.timestamps",
      "Times are RFC 3339, UTC, milliseconds.",
      "contract/caller-keys > has every field of the contract",
      "contract/json/encode-message > prints snake_case names, REST spellings and times with milliseconds",
    ],
    [
      "identity.hashes",
      "Keys and sessions are stored as keyed hashes and shown once.",
      "account/keys > stores the secret as a keyed hash only",
      "contract/caller-keys > has a secret of the published form, shown this once",
    ],
    [
      "identity.sealed",
      "Endpoint keys, header values and vendor credentials are stored sealed, bound to their row.",
      "contract/endpoints > is stored without a secret in the clear",
      "vendor/vendor > links a key, probes it in the vendor's style, and seals it",
      "platform/crypto/secret-box > does not open a value that was moved to %j",
    ],
    [
      "identity.never-returned",
      "No secret is returned; header values are shown to sessions, redacted to keys.",
      "contract/endpoints > shows header values to a session and to no key, and its key to nobody",
      "contract/vendors > shows each vendor, linked or not, and no credential",
      "process/logs > is in no log, refusal, metric, document or table",
    ],
    [
      "identity.account",
      "Endpoints and linked vendors belong to an account.",
      "contract/endpoints > shows the endpoints of one account only",
      "contract/vendors > shows the links of one account only",
    ],
    [
      "identity.team-key-left",
      "A team key whose maker left the team is refused like a revoked one.",
      "account/key-directory > a team key is refused once its maker has left",
    ],
    [
      "identity.team-key-member",
      "Only members make a team key.",
      "contract/caller-keys > of a team needs a membership in the team",
    ],
    [
      "identity.team-key-managers",
      "Its maker and the team's owners and admins list and revoke it.",
      "account/keys > managers see and revoke team keys, and may not rotate them",
    ],
    [
      "key.fields",
      "A key has the fields listed.",
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
  ]),
  ...tested("contract 4", [
    [
      "identity.mcp-sealed",
      "MCP secrets are stored sealed and redacted to keys.",
      "team/item/items > are sealed at rest and never shown",
      "team/item/given-items > move to another master key, and open at their own row only",
    ],
  ]),
  ...tested("contract 4", [
    [
      "identity.invites-sealed",
      "Invite codes are stored as a keyed hash and an encrypted copy.",
      "team/invite-codes > is stored as a keyed hash and sealed",
      "team/invite-codes > moves the codes to the first master key",
    ],
    [
      "identity.team-account",
      "A team is an account of its own; a member's own key never works in it.",
      "team/team-keys > works in the team's account, where a member's own key never does",
    ],
    [
      "identity.team-key-rank",
      "A team key acts with its maker's rank, at most admin; Team.role shows it.",
      "team/team-keys > of an %s acts with that rank, at most admin",
      "team/team-keys > loses rights at once when its maker does",
    ],
    [
      "identity.team-key-limits",
      "A team key cannot accept invites, create teams or own items.",
      "team/team-keys > accepts no invite, makes no team, owns no items: 403",
    ],
    [
      "identity.no-team-key",
      "Creating a team makes no team key.",
      "team/teams > makes no team key",
    ],
    [
      "key.maker-scopes",
      "A key's scopes never exceed its maker's.",
      "contract/operations > is refused to every credential that its policy does not name",
    ],
  ]),
  ...tested("contract 4", [
    [
      "identity.model-created",
      "`created` of a Model is Unix seconds.",
      "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
    ],
    [
      "identity.account-aliases",
      "Aliases, wallet and usage belong to an account.",
      "alias/alias > belong to their account alone",
      "wallet/wallet > is filled by the operator, of people and teams",
    ],
    [
      "key.budget",
      "The budget of a key holds per day, month or in total.",
      "wallet/wallet > refuse what does not fit and show what was spent",
    ],
    [
      "refused.session-on-lists",
      "A session on count_tokens or models is 403.",
      "gateway/rpc/models > needs a live key and no scope, and is what official clients read",
    ],
  ]),
  ...tested("contract 4", [
    [
      "identity.account-threads",
      "Threads and kept responses belong to an account.",
      "gateway/agent/agent-threads > is another with every call that names none, and another account's by the same name",
    ],
  ]),
];
