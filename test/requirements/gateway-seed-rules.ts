import { tested, type Requirement } from "./requirement.ts";

/** Authentication, errors, limits and versioning of the gateway seed. */
export const gatewaySeedRules: readonly Requirement[] = [
  ...tested("gateway seed, Authentication", [
    [
      "auth.headers",
      "A key goes as Authorization: Bearer or as x-api-key.",
      "contract/refusals > may stand in both headers if they say the same",
      "gateway/route/refusals > take the key from either header",
    ],
    [
      "auth.scopes",
      "There are five scopes.",
      "contract/proto > %s is spelled as the texts do",
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
  ]),
  ...tested("gateway seed, Authentication", [
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
  ]),
  ...tested("gateway seed, Authentication", [
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
  ]),

  ...tested("gateway seed, Errors", [
    [
      "error.body",
      "A refusal has error, message, doc_url and request_id.",
      "contract/refusals > carries code, message, doc_url and request_id",
      "contract/operations > is refused without a credential",
    ],
    ["error.param", "On invalid_request, param names the field.", "contract/refusals > %s in %j"],
    [
      "error.dialect",
      "Model routes refuse in the caller's dialect.",
      "gateway/route/refusals > are in the caller's dialect",
      "dialect/error > nests everything in error",
      "contract/refusals > of %s %s is %d in the dialect of the path",
    ],
    [
      "error.400",
      "400 invalid_request: no JSON, refused by the dialect, or invalid.",
      "contract/refusals > of the body %j is 400",
      "gateway/route/refusals > name what is wrong with the body %j",
    ],
    [
      "error.401",
      "401 unauthorized: bearer missing, malformed or unknown.",
      "contract/refusals > that is unknown is 401: %s",
    ],
    [
      "error.403-scope",
      "403 insufficient_scope.",
      "contract/refusals > of one kind is 403 where another kind is needed",
    ],
    [
      "error.403-model",
      "403 model_not_allowed, on model calls.",
      "contract/model-calls > is looked at after the key's own limits: allowed_models",
    ],
    [
      "error.403-vendor",
      "403 no_vendor_credential, on model calls.",
      "contract/model-calls > of a vendor that is not linked is 403 no_vendor_credential",
    ],
    [
      "error.403-custom",
      "403 no_custom_upstream, on model calls.",
      "contract/model-calls > of an endpoint of another account is 403 no_custom_upstream",
    ],
    [
      "error.404",
      "404 not_found: no such resource on this account.",
      "contract/caller-keys > of somebody else do not exist",
      "contract/operations > answers 404 for what does not exist",
    ],
    [
      "error.409",
      "409 conflict: the state does not allow the change.",
      "contract/refusals > 404 before 409",
    ],
    [
      "error.429",
      "429 rate_limited: over the bucket of the key.",
      "contract/model-calls > gives 429 in the dialect, with the headers on every answer",
    ],
    [
      "error.499",
      "499 is what the log says of a caller that hung up.",
      "gateway/route/abort > %s cancels the upstream at once",
    ],
    [
      "error.5xx",
      "An upstream's own status is kept, in the caller's dialect.",
      "gateway/route/faults > keep the status %i and the message",
    ],
  ]),
  ...tested("gateway seed, Errors", [
    [
      "error.402",
      "402 byo_url: budget or wallet is spent; byo_url is in the body.",
      "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
    ],
  ]),
  ...tested("gateway seed, Errors", [
    [
      "error.409-owner",
      "409 last_owner: the last owner of a team would go.",
      "team/members > can neither leave nor be left as the only one",
      "team/users > is neither disabled nor deleted: 409 last_owner",
    ],
  ]),
  ...tested("gateway seed, Errors", [
    [
      "error.499-agent",
      "An agent turn keeps running when the caller hangs up.",
      "gateway/agent/agent-lifecycle > leaves a turn that goes on, and is followed from the beginning at another process",
    ],
  ]),

  ...tested("gateway seed, Limits", [
    ["limit.page", "limit: 1 to 100.", "contract/paging > names %s in %j"],
    [
      "limit.session",
      "x-svc-session: 1 to 59 word characters.",
      "contract/model-calls > take a thread id of 1 to 59 word characters",
    ],
    [
      "limit.rate",
      "Model calls have a request bucket per key.",
      "gateway/route/refusals > limit requests per key and say so on every answer",
    ],
  ]),
  ...tested("gateway seed, Limits", [
    [
      "limit.invite",
      "An invite lives 7 days.",
      "team/invites > has a code, the address and the role, and lives seven days",
    ],
  ]),
  ...tested("gateway seed, Limits", [
    [
      "limit.tokens",
      "A token estimate is characters divided by 4.",
      "gateway/rpc/models > divides the code points of all text by four, rounded up",
    ],
  ]),

  ...tested("gateway seed, Versioning", [
    [
      "version.path",
      "API paths begin with /v1/.",
      "contract/proto > are exactly those of the seeds and the contract",
    ],
    [
      "version.legacy",
      "`upstreams` and the slug `custom` are legacy.",
      "contract/endpoints > and the same rows under the legacy name",
      "contract/endpoints > never gives the slug custom",
    ],
  ]),
];
