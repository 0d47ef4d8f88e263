import { tested, type Requirement } from "./requirement.ts";

/** What the gateway seed says of its operations, but for teams. */
export const gatewaySeedOperations: readonly Requirement[] = [
  ...tested("gateway seed, Gateway model calls", [
    [
      "call.route-header",
      "x-svc-route overrides the key's route: byo, credits, auto.",
      "contract/model-calls > beat the key's own route and mode",
      "contract/model-calls > %s with %j is 400 and named",
    ],
    [
      "call.mode-header",
      "x-svc-mode overrides the key's mode: model, agent.",
      "contract/model-calls > beat the key's own route and mode",
      "contract/model-calls > %s with %j is 400 and named",
    ],
    [
      "call.engine-header",
      "x-svc-engine is omni or absent.",
      "contract/model-calls > %s with %j is 400 and named",
    ],
    [
      "call.session-header",
      "x-svc-session is 1 to 59 word characters.",
      "contract/model-calls > take a thread id of 1 to 59 word characters",
      "contract/model-calls > %s with %j is 400 and named",
    ],
    [
      "call.body",
      "A JSON body with a string `model` is required.",
      "gateway/route/refusals > name what is wrong with the body %j",
      "gateway/route/refusals > refuse a body that is not declared as JSON",
    ],
    [
      "call.other-fields",
      "Other body fields are the dialect's own affair.",
      "contract/model-calls > is never refused for a field that the dialect may have",
    ],
    [
      "call.stream",
      "The answer is JSON, or an event stream when the body says stream: true.",
      "gateway/route/official-clients > get streams, raw and through their helpers",
      "gateway/route/official-clients > get whole answers",
    ],
    [
      "call.chat-pass-through",
      "Chat calls pass through to the own vendor key.",
      "contract/model-calls > %s reaches %s",
    ],
    [
      "call.login",
      "On responses, a linked code-assistant login passes through.",
      "contract/model-calls > %s reaches %s",
      "vendor/login-renewal > is renewed before the call, its headers carried, and saved for every process",
      "vendor/login-renewal > renews the login and makes the call once more, %s",
    ],
    [
      "call.byo",
      "The route byo uses the caller's own credential.",
      "gateway/route/refusals > take every valid x-svc header",
    ],
  ]),
  ...tested("gateway seed, Gateway model calls", [
    [
      "call.transcoded",
      "Chat and messages calls are transcoded to the upstream of the key.",
      "gateway/transcode/matrix > gets a whole answer",
    ],
  ]),
  ...tested("gateway seed, Gateway model calls", [
    [
      "call.agent-chat",
      "Chat with model `agent` runs the caller's agent.",
      "gateway/agent/agent-answers > answers callers of chat, whole and streamed",
    ],
    [
      "call.agent-responses",
      "Responses with `agent` or `agent-omni` runs the caller's agent.",
      "gateway/agent/agent-answers > answers callers of responses, whole, streamed and in the background",
    ],
    [
      "call.engine-pins",
      "x-svc-engine pins the agent to the omni engine.",
      "gateway/agent/agent-choices > is pinned by its model or by the header, and has its instructions before the caller's",
    ],
  ]),
  ...tested("gateway seed, Gateway model calls", [
    [
      "call.credits",
      "The route credits is paid from a wallet.",
      "wallet/wallet > is asked by route credits, and by auto where nothing is owned",
      "wallet/wallet > pays what the vendor told, cached input at its own price",
    ],
  ]),
  ...tested("gateway seed, count_tokens", [
    [
      "tokens.body",
      "A messages body of which only `messages` is read; `model` is required.",
      "gateway/rpc/models > divides the code points of all text by four, rounded up",
      "gateway/rpc/models > refuses %j in the messages form, param %s",
    ],
    [
      "tokens.estimate",
      "The estimate is characters divided by 4, without upstream call and charge.",
      "gateway/rpc/models > divides the code points of all text by four, rounded up",
    ],
    [
      "tokens.errors",
      "400 for no JSON, 401, 403 for a revoked key.",
      "gateway/rpc/models > refuses %j in the messages form, param %s",
      "contract/operations > is refused to a revoked key with 403",
    ],
  ]),
  ...tested("gateway seed, models", [
    [
      "models.order",
      "Agent models, then linked vendors, then custom endpoints, then the catalogue.",
      "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
    ],
    [
      "models.custom-ids",
      "Models of custom endpoints are listed as custom/<slug>/<id>.",
      "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
    ],
    [
      "models.errors",
      "401, and 403 for a revoked key.",
      "gateway/rpc/models > needs a live key and no scope, and is what official clients read",
      "contract/operations > is refused to a revoked key with 403",
    ],
  ]),

  ...tested("gateway seed, Pagination", [
    [
      "page.limit",
      "limit is 1 to 100.",
      "contract/paging > names %s in %j",
      "contract/paging > have 20 rows where no limit is sent, 100 at most",
    ],
    [
      "page.after",
      "after_id is the page after that row.",
      "contract/paging > gives every row once, in one order",
    ],
    [
      "page.before",
      "before_id is the page before that row.",
      "contract/paging > gives the page right before a cursor in list order",
    ],
    [
      "page.invalid",
      "An invalid parameter is 400 and named by param.",
      "contract/paging > names %s in %j",
    ],
  ]),

  ...tested("gateway seed, Custom endpoints", [
    [
      "endpoints.list",
      "The list holds every endpoint of the account.",
      "contract/endpoints > shows the endpoints of one account only",
      "contract/paging > gives every row once",
      "acceptance/upstream-list > GET /v1/upstreams lists every endpoint of the account",
    ],
    [
      "endpoints.legacy",
      "`upstreams` repeats `data`.",
      "contract/endpoints > and the same rows under the legacy name",
    ],
    [
      "endpoints.create-body",
      "label, base_url and api_key are required.",
      "contract/endpoints > needs %s",
    ],
    [
      "endpoints.create-options",
      "dialect may be auto; headers and models are optional.",
      "upstream/upstream > tells the dialect when it is left to the server",
      "contract/endpoints > takes 20 headers of 4 KiB",
    ],
    [
      "endpoints.create-answer",
      "201 with UpstreamWithProbe, also after a failed probe.",
      "contract/endpoints > saves an endpoint whose probe fails",
    ],
    [
      "endpoints.create-errors",
      "400, 401 and 403 as everywhere.",
      "contract/operations > answers 400 and names the value that is wrong",
      "contract/operations > is refused without a credential",
    ],
    [
      "endpoints.patch-body",
      "label, dialect, api_key, models and model_names may change.",
      "contract/patch > replaces lists and maps whole",
      "contract/patch > probes again for another %s",
    ],
    [
      "endpoints.patch-dialect",
      "A PATCH takes no dialect auto.",
      "contract/patch > does not take auto for a dialect, nor another base_url",
    ],
    [
      "endpoints.delete",
      "DELETE is 204 without a body.",
      "contract/endpoints > is removed with 204 and no body",
    ],
    [
      "endpoints.probe",
      "The probe dials the stored endpoint and needs no body.",
      "contract/endpoints > dials with the key in the style of the dialect",
    ],
    [
      "endpoints.not-found",
      "An unknown slug is 404.",
      "contract/operations > answers 404 for what does not exist",
    ],
  ]),
  ...tested("gateway seed, Aliases", [
    [
      "alias.list",
      "A JSON array: own aliases, then built-in ones, then the catalogue.",
      "alias/alias > are listed: own, then built-in, then catalogue, as an array",
    ],
    [
      "alias.available",
      "`available` says whether the vendor is linked.",
      "alias/alias > say whether the vendor is linked, also where the operator sells its models",
    ],
    [
      "alias.put",
      "PUT creates or overwrites one personal alias, for every paired device.",
      "alias/alias > are replaced whole",
      "alias/alias > count every write, deletions included, and tell devices what is new",
    ],
    [
      "alias.put-body",
      "vendor is required; model_id, label and custody are optional.",
      "alias/alias > refuse %s %j with param %s",
      "alias/alias > are replaced whole",
    ],
    [
      "alias.delete",
      "DELETE removes one personal alias on every device.",
      "alias/alias > count every write, deletions included, and tell devices what is new",
    ],
  ]),
  ...tested("gateway seed, Service documents", [
    [
      "document.openapi",
      "The document is OpenAPI 3.1 with x-path-templates and x-svc-replay.",
      "document/render/document > is valid OpenAPI 3.1",
    ],
    [
      "document.no-values",
      "It holds shapes, header rule names and provenance, never a value or a credential.",
      "document/privacy > holds no part of a value, and neither does what is stored",
    ],
    [
      "document.not-found",
      "An unknown service is 404.",
      "document/services > is published with POST …/ship and taken back with POST …/unship",
    ],
    [
      "document.open",
      "It needs no credential; a live key or a session is accepted too.",
      "contract/operations > is refused without a credential, if it needs one",
    ],
  ]),
];
