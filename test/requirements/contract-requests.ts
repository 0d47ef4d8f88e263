import { tested, type Requirement } from "./requirement.ts";

/** Contract section 6: requests and refusals, teams, PostgreSQL away. */
export const contractRequests: readonly Requirement[] = [
  ...tested("contract 6, requests and refusals", [
    [
      "order.401",
      "401 comes before everything else.",
      "contract/refusals > 401 before everything else",
    ],
    [
      "order.403",
      "403 for a scope comes before 400 and 404.",
      "contract/refusals > 403 before 400 and 404",
    ],
    ["order.400", "400 comes before 404.", "contract/refusals > 400 before 404"],
    ["order.409", "409 comes after 404.", "contract/refusals > 404 before 409"],
    [
      "input.unknown-field",
      "An unknown field, camelCase included, is 400 with its param.",
      "contract/refusals > %s in %j",
      "contract/operations > refuses a field that it does not know, over REST",
    ],
    ["input.wrong-type", "A wrong type is 400 with its param.", "contract/refusals > %s in %j"],
    [
      "input.null",
      "null where nothing is clearable is 400.",
      "contract/refusals > %s in %j",
      "contract/patch > refuses null for %s",
    ],
    [
      "input.param",
      "param is the exact path, indexes included.",
      "contract/refusals > %s in %j",
      "transport/rest/bind > names the item of a list of messages",
    ],
    [
      "input.query",
      "Unknown query parameters are ignored, known ones checked.",
      "contract/refusals > and an unknown query parameter is not",
      "contract/paging > ignores parameters that it does not know",
    ],
    [
      "input.connect",
      "Connect ignores unknown fields.",
      "contract/refusals > an unknown field is ignored",
    ],
    [
      "input.model-bodies",
      "Model bodies are never refused for an unknown field.",
      "contract/model-calls > is never refused for a field that the dialect may have",
    ],
    [
      "length.names",
      "Names and labels have 1 to 200 code points, trimmed.",
      "contract/limits > names and labels have 1 to 200 code points",
      "contract/refusals > %s in %j",
    ],
    ["length.base-url", "base_url has at most 2048.", "contract/limits > an endpoint"],
    [
      "length.api-key",
      "api_key has 1 to 4096 without control characters.",
      "contract/limits > an endpoint",
      "contract/limits > a vendor credential",
    ],
    [
      "patch.sent",
      "Only the fields sent change.",
      "contract/patch > changes %s to %j and nothing else",
    ],
    [
      "patch.mask",
      "Over Connect a field mask decides; absent: every set field.",
      "contract/patch > changes what the mask names",
      "contract/patch > changes every field that is set where no mask is sent",
    ],
    ["patch.empty", "{} is 200 and changes nothing.", "contract/patch > changes nothing for {}"],
    [
      "patch.merge",
      "A key's budget and rate_limit are merged with what is sent of them (RFC 7396).",
      "contract/patch > merges into %s what is sent of it",
      "contract/patch > names %s when the key has nothing to merge %j with",
    ],
    [
      "patch.whole",
      "Lists and maps are replaced whole.",
      "contract/patch > replaces lists and maps whole",
    ],
    [
      "patch.null",
      "null clears a key's budget, rate_limit and expires_at, elsewhere it is 400.",
      "contract/patch > changes %s to %j and nothing else",
      "contract/patch > cannot clear %s with null",
      "contract/patch > refuses null for %s",
    ],
    [
      "code.content-type",
      "A wrong content type is 400.",
      "contract/refusals > of the content type %s is 400",
    ],
    ["code.path", "An unknown path is 404.", "contract/refusals > of the unknown path %s is 404"],
    [
      "code.method",
      "A wrong method is 405 with allow.",
      "contract/refusals > of the wrong method %s %s is 405",
      "contract/model-calls > %s needs POST",
    ],
    [
      "code.too-large",
      "Too large a body is 413 request_too_large.",
      "contract/refusals > of a body over 1 MiB on an ordinary operation is 413",
      "gateway/route/refusals > are refused when they turn out too large",
    ],
    [
      "code.internal",
      "500 internal_error says nothing of the cause.",
      "transport/rest/mount > say nothing of an error that nobody foresaw, and log it",
    ],
    [
      "code.upstream",
      "502 upstream_unreachable and upstream_malformed, 504 upstream_timeout.",
      "gateway/route/faults > faults before the first byte of $name",
      "gateway/route/faults > is told when nothing listens",
    ],
    [
      "code.unavailable",
      "503 unavailable with retry-after: database away, draining.",
      "process/database-away > refuses what needs it in time",
      "gateway/route/streams > are answered with a status when the server stops before they begin",
    ],
    [
      "code.mid-stream",
      "Mid-stream: upstream_incomplete and upstream_timeout.",
      "gateway/route/streams > are reported as broken off when they end before their last event",
      "gateway/route/streams > end with an error when the upstream falls silent",
    ],
    [
      "connect.codes",
      "Every status has its Connect code and an ErrorInfo detail.",
      "transport/interceptors/protocols > every refusal carries what the REST body says",
      "contract/refusals > a refusal has the code of its status and the detail of its body",
    ],
    [
      "request-id.everywhere",
      "x-request-id is on every response and equals request_id.",
      "contract/refusals > is on successes and refusals alike, on both ports",
      "contract/refusals > carries code, message, doc_url and request_id",
    ],
    [
      "request-id.kept",
      "An incoming one of 1 to 64 characters is kept.",
      "contract/refusals > of the caller is kept: %s",
      "contract/refusals > of another form is replaced: %s",
    ],
    [
      "request-id.correlation",
      "It deduplicates and authorises nothing.",
      "contract/refusals > deduplicates nothing",
    ],
    [
      "idempotency.where",
      "Idempotency-Key is taken on the operations listed.",
      "contract/proto > take an idempotency key where the contract says so",
      "contract/idempotency > makes one user and gives its answer again",
    ],
    [
      "idempotency.scope",
      "It counts per account and route.",
      "contract/idempotency > belongs to one account and one operation",
    ],
    [
      "idempotency.kept",
      "2xx answers are kept sealed for 24 hours and given again, over every protocol.",
      "contract/idempotency > gives its answer again over %s",
      "contract/idempotency > keeps its answer sealed",
      "account/idempotency-store > answers are kept sealed, for 24 hours",
    ],
    ["idempotency.refused", "Refusals are not kept.", "contract/idempotency > keeps no refusal"],
    [
      "idempotency.running",
      "While the first one runs: 409 conflict.",
      "contract/idempotency > runs once of many at the same time",
    ],
    [
      "idempotency.other-body",
      "Another body is 400 with param Idempotency-Key.",
      "contract/idempotency > is 400 with another body",
    ],
    [
      "idempotency.length",
      "It has 1 to 255 characters.",
      "contract/idempotency > needs 1 to 255 characters: %j",
    ],
    [
      "idempotency.secrets",
      "Operations whose answer holds a new secret do not take it.",
      "contract/idempotency > do not take one",
    ],
    [
      "retry.409",
      "409 answers carry x-should-retry: false.",
      "contract/refusals > of 409 tells client libraries not to repeat it",
      "contract/idempotency > runs once of many at the same time",
    ],
    [
      "pages.default",
      "A page has 20 rows by default.",
      "contract/paging > have 20 rows where no limit is sent, 100 at most",
    ],
    [
      "pages.removed",
      "A cursor keeps working after its row was removed.",
      "contract/paging > take a removed row for a cursor",
    ],
    [
      "pages.unknown",
      "An id never seen in the list is 400 with the cursor's name.",
      "contract/paging > names %s in %j",
      "contract/paging > do not know rows of another account as cursors",
    ],
    ["pages.both", "Both cursors at once are 400.", "contract/paging > names %s in %j"],
    [
      "pages.has-more",
      "has_more speaks of the direction asked.",
      "contract/paging > gives the page right before a cursor in list order",
      "platform/pagination > has_more is true exactly when rows remain in the direction asked",
    ],
    [
      "pages.before",
      "A before_id page is the rows right before the cursor, in list order.",
      "contract/paging > gives the page right before a cursor in list order",
    ],
    [
      "pages.empty",
      "An empty page has null ids.",
      "contract/paging > gives nulls on an empty page",
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
      "A code of eight digits alone on a line, and a link with e-mail address and code.",
      "contract/sessions > mails digits alone on a line and a link with a code of its own",
    ],
    [
      "sign-in.life",
      "The code lives 10 minutes and 5 tries.",
      "contract/sessions > takes five wrong codes, then not even the right one",
      "account/sign-in > digits and link end after ten minutes",
    ],
  ]),
  ...tested("contract 6, requests and refusals", [
    [
      "order.rank",
      "403 for a rank comes after 404 and before 409.",
      "team/members > that is nobody is 404 before 403 for the rank",
      "team/invites > refuses a rank that is too low before it says that the invite is over",
    ],
    [
      "sign-in.invite",
      "An address with a pending invite may sign in; its link is <public>/invites/<code>.",
      "team/users > may sign in, joins as a new user, and may not any more",
      "team/accept-page > signs the person in by a mailed code and accepts, without script",
    ],
  ]),
  ...tested("contract 6, requests and refusals", [
    ["length.alias", "An alias label has at most 200.", "alias/alias > refuse %s %j with param %s"],
  ]),
  ...tested("contract 6, requests and refusals", [
    [
      "code.shedding",
      "503 unavailable when load is shed.",
      "app/shedding > model calls are refused in the caller's dialect",
      "app/shedding > contract calls are refused over REST",
      "app/shedding > sheds load while it does, and takes calls afterwards",
    ],
  ]),

  ...tested("contract 6, teams", [
    [
      "rank.order",
      "owner > admin > editor > member; below is strict; nobody grants owner.",
      "team/ranks > %s towards %s",
      "team/members > change",
    ],
    [
      "rank.visibility",
      "Not a member: 404; too low a rank: 403.",
      "team/teams > does not exist for whoever is not a member",
      "team/teams > is changed by admins and owners only",
    ],
    [
      "rank.new-team",
      "A new team shares rules and skills, not mcp; policy members; no confirmation.",
      "team/teams > has every field, its maker as the one owner, and shares rules and skills",
    ],
    [
      "rank.below-admin",
      "Below admin one reads, leaves, and pools as the policy says.",
      "team/members > of any rank leaves, but not the last owner",
      "team/teams > is there for every member",
    ],
    [
      "invites.mismatch",
      "Another account: 403 invite_email_mismatch before the state, without the address.",
      "team/invites > is 403 for another address before anything",
      "team/accept-page > tells another account that the invite is not for it",
    ],
    [
      "invites.states",
      "Never issued: 404; no longer pending: 409; DELETE: 404 for both.",
      "team/invites > is 404 for a code never issued, 409 for one that was used",
      "team/invites > stops the code at once",
    ],
    [
      "invites.member",
      "Inviting a member is 400 param email.",
      "team/invites > is 400 with param email for somebody who is a member already",
    ],
    [
      "invites.resend",
      "Resend keeps address and role, sets new times, and moves to the end.",
      "team/invites > gives a fresh code and seven more days, at the end of the list",
    ],
    [
      "invites.mail",
      "Mail goes out after the commit, is awaited up to 5 s, and retried with one Message-ID.",
      "team/invite-mail > goes out after the commit",
      "team/invite-mail > the answer waits five seconds at most",
      "team/invite-mail > is tried again from the database under the same id",
    ],
    [
      "invites.share",
      "Accepting shares by the team's defaults, mcp only when asked.",
      "team/invites > as the team's defaults say",
      "team/invites > but no MCP server unless the body says so",
    ],
    [
      "invites.confirm",
      "Under require_manual_confirm a new member gets no team secret until confirmed.",
      "team/members > is waited for under require_manual_confirm",
      "team/members > is not given by who waits for it, nor done away with",
    ],
    [
      "groups.labels",
      "groups are at most 20 labels of 1 to 64 characters.",
      "team/members > takes at most 20 groups of 1 to 64 characters",
    ],
    [
      "groups.alone",
      "groups alone may be set for members below, or for oneself.",
      "team/members > of groups alone, by %s to another %s",
      "team/members > of one's own groups is for admins and owners",
    ],
  ]),

  ...tested("contract 6, when PostgreSQL is away", [
    [
      "away.cached",
      "Cached keys keep working for at most 15 minutes.",
      "process/database-away > serves what does not, and recovers by itself",
      "account/key-directory > a cached key works on for fifteen minutes (%s)",
    ],
    [
      "away.refused",
      "Unknown keys and management are 503, never 401.",
      "process/database-away > refuses what needs it in time",
      "account/key-directory > an unknown key is 503, never unknown",
    ],
    ["away.recovers", "It recovers by itself.", "process/database-away > and recovers by itself"],
    [
      "away.revoked",
      "A revoked key is refused by every process within a second.",
      "process/revocation > refuses a revoked key in every process within a second",
    ],
  ]),
  ...tested("contract 6, when PostgreSQL is away", [
    [
      "away.reserve",
      "Calls that must reserve are 503.",
      "process/database-away-paid > calls that must reserve are 503 and reach no upstream",
    ],
  ]),
];
