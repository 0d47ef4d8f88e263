import { tested, type Requirement } from "./requirement.ts";

/** Ids, secrets and what belongs to whom. */
export const identity: readonly Requirement[] = tested([
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
    "platform/crypto/token > give inv_ and 28 characters, and as many digits as asked",
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
    "The session cookie is HttpOnly and SameSite=Lax.",
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
    "identity.mcp-sealed",
    "MCP secrets are stored sealed and redacted to keys.",
    "team/item/items > are sealed at rest and never shown",
    "team/item/given-items > move to another master key, and open at their own row only",
  ],
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
  ["identity.no-team-key", "Creating a team makes no team key.", "team/teams > makes no team key"],
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
    "identity.account-threads",
    "Threads and kept responses belong to an account.",
    "gateway/agent/agent-threads > is another with every call that names none, and another account's by the same name",
  ],
  [
    "identity.x-api-key",
    "Sessions go as bearer or cookie, the operator token as bearer: x-api-key takes neither.",
    "account/authenticator > x-api-key takes caller keys alone",
    "contract/refusals > in x-api-key is a caller key or 401, over %s",
    "contract/refusals > in x-api-key of a model call is a caller key or 401",
  ],
  [
    "sign-in.who",
    "Users, domains of sign_in.domains, and anybody with open: true may sign in.",
    "contract/sessions > finds the user whatever the spelling of the address",
    "contract/sessions > makes the user that is missing",
    "account/sign-in > startSignIn",
  ],
  [
    "sign-in.silence",
    "Others get the same 200 and no mail.",
    "contract/sessions > answers an address that may not sign in alike, and mails nothing",
  ],
  [
    "sign-in.user",
    "Finishing creates the missing user.",
    "contract/sessions > makes the user that is missing, and opens a session",
  ],
  [
    "sign-in.code",
    "A sign-in mails eight digits alone on a line, and a link with the address and a code of its own.",
    "contract/sessions > mails digits alone on a line and a link with a code of its own",
  ],
  [
    "sign-in.life",
    "The code of a sign-in lives 10 minutes and 5 tries.",
    "contract/sessions > takes five wrong codes, then not even the right one",
    "account/sign-in > digits and link end after ten minutes",
  ],
  [
    "sign-in.invite",
    "An address with a pending invite may sign in; its link is <public>/invites/<code>.",
    "team/users > may sign in, joins as a new user, and may not any more",
    "team/accept-page > signs the person in by a mailed code and accepts, without script",
  ],
]);
