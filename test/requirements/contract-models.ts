import { tested, type Requirement } from "./requirement.ts";

/** Contract section 6: models, routes and money. */
export const contractModels: readonly Requirement[] = [
  ...tested("contract 6, models, routes, money", [
    [
      "model-id.custom",
      "custom/<slug>/<id> is a model of a custom endpoint.",
      "contract/model-calls > %s reaches %s",
    ],
    [
      "model-id.vendor",
      "<vendor>/<id> where such a vendor exists; the rest is the id, slashes included.",
      "contract/model-calls > %s reaches %s",
      "gateway/routing/plan > reads %s",
    ],
    [
      "model-id.bare",
      "A bare id means the own vendors in link order.",
      "contract/model-calls > that is bare reaches the vendor that was linked first",
      "gateway/route/pass-through > sends a bare model of a linked vendor",
    ],
    [
      "model-id.alias-unknown",
      "An unknown @token is 400 param model.",
      "gateway/route/refusals > name what is wrong with the body %j",
      "contract/model-calls > %s refuses %s with %i %s",
    ],
    [
      "allowed.canonical",
      "allowed_models match the canonical id, after resolution.",
      "contract/model-calls > is looked at after the key's own limits: allowed_models",
    ],
    [
      "route.own",
      "auto uses the caller's own credential where it serves the model.",
      "contract/model-calls > %s reaches %s",
    ],
    [
      "route.none",
      "auto without any credential is 403 no_vendor_credential.",
      "contract/model-calls > of a vendor that is not linked is 403 no_vendor_credential",
    ],
    [
      "route.used",
      "x-svc-route-used says which route served.",
      "contract/model-calls > %s reaches %s",
    ],
    [
      "route.credits-custom",
      "credits with a custom model is 400 param x-svc-route.",
      "contract/model-calls > %s with %j is 400 and named",
    ],
    [
      "mode.header",
      "The header beats the key's mode.",
      "contract/model-calls > beat the key's own route and mode",
    ],
    [
      "mode.agent-as-model",
      "An agent model with x-svc-mode: model is 400 param x-svc-mode.",
      "contract/model-calls > %s with %j is 400 and named",
    ],
    [
      "engine.no-agent",
      "x-svc-engine without the agent is 400 param x-svc-engine.",
      "contract/model-calls > %s with %j is 400 and named",
    ],
    [
      "rate.bucket",
      "A token bucket per key: 429 with retry-after.",
      "contract/model-calls > gives 429 in the dialect, with the headers on every answer",
      "platform/rate-limit/request-buckets > lets a burst through",
    ],
    [
      "rate.headers",
      "RateLimit fields and the dialect's own are on every answer of a recognised key.",
      "contract/model-calls > gives 429 in the dialect, with the headers on every answer",
      "gateway/route/refusals > limit requests per key and say so on every answer",
      "contract/caller-keys > on %s with the fields of its bucket all the same",
    ],
  ]),
  ...tested("contract 6, models, routes, money", [
    [
      "model-id.agent",
      "agent, agent-omni and agent-fast are the agent.",
      "gateway/agent/agent-answers > answers callers of chat, whole and streamed",
      "gateway/agent/agent-choices > is omni for what asks for more, fast for the rest, and omni again in its thread",
    ],
    [
      "mode.agent-engine",
      "Mode agent with an ordinary model runs the agent on that model.",
      "gateway/agent/agent-choices > is the model that the caller names, in the mode agent",
    ],
    [
      "engine.omni",
      "x-svc-engine: omni beats agent-fast.",
      "gateway/agent/agent-choices > is pinned by its model or by the header, and has its instructions before the caller's",
    ],
    [
      "allowed.agent",
      "For an agent turn its id and its engine's model must be allowed.",
      "gateway/agent/agent-choices > is 402 where nobody can pay, 403 where nothing is there or the key may not",
    ],
  ]),
  ...tested("contract 6, models, routes, money", [
    [
      "model-id.catalogue",
      "A bare id falls to the catalogue.",
      "wallet/wallet > is asked by route credits, and by auto where nothing is owned",
    ],
    [
      "model-id.alias",
      "@token resolves own, then built-in, then catalogue aliases.",
      "alias/alias > name the model of a call, their own before everybody's",
    ],
    [
      "route.credits",
      "auto falls to credits where the catalogue has the model.",
      "wallet/wallet > is asked by route credits, and by auto where nothing is owned",
    ],
    [
      "route.spent",
      "A spent wallet or budget is 402 with byo_url.",
      "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
    ],
    [
      "route.no-fall-over",
      "A failed own credential never falls over to credits.",
      "wallet/wallet > is never asked for the caller's own credential",
    ],
    [
      "route.catalogue-vendor",
      "credits with <vendor>/<id> means that catalogue entry.",
      "wallet/wallet > is asked by route credits, and by auto where nothing is owned",
    ],
    [
      "model.lane",
      "lane, tier and reason as listed; the list is one page.",
      "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
      "gateway/rpc/models > says of each model what a call with this key would get",
      "gateway/rpc/models > says of what is sold that the wallet or the key's budget is spent, over REST and Connect",
    ],
    [
      "tokens.rule",
      "ceil(code points of all text / 4), counting only what is listed.",
      "gateway/rpc/models > divides the code points of all text by four, rounded up",
    ],
    [
      "tokens.params",
      "A missing model or messages is 400 with that param.",
      "gateway/rpc/models > refuses %j in the messages form, param %s",
    ],
    [
      "money.reserve",
      "A credits call is reserved first: text / 4 at the input price plus the output cap.",
      "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
    ],
    [
      "money.settle",
      "It is settled by reported usage, else by what was relayed.",
      "wallet/wallet > pays what the vendor told, cached input at its own price",
    ],
    [
      "money.no-fit",
      "A reserve that does not fit is 402.",
      "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
      "process/budget > %s: 5 are admitted, 45 get 402, and what they did not use is given back",
    ],
    [
      "money.own-free",
      "Own credentials cost 0; a budget counts catalogue prices.",
      "wallet/wallet > is never asked for the caller's own credential",
      "wallet/wallet > do not count calls on own credentials",
    ],
    [
      "money.call-id",
      "Ledger rows are keyed by an id of ours.",
      "wallet/wallet > sums calls by day, model and key, of the account or of the key that asks",
      "process/kill-streams > has each reserved call once, whatever is killed in the middle of streams",
      "process/kills > keeps its books when it is killed under load and started again",
    ],
    [
      "alias.shape",
      "An alias has the fields listed; DELETE of an unknown token is ok.",
      "alias/alias > are listed: own, then built-in, then catalogue, as an array",
      "alias/alias > count every write, deletions included, and tell devices what is new",
    ],
    [
      "alias.token",
      "The token's form; 400 param token otherwise.",
      "alias/alias > refuse %s %j with param %s",
    ],
    [
      "alias.vendor",
      "vendor is a vendor id or custom/<slug>; unknown is 400; no model means the first.",
      "alias/alias > refuse %s %j with param %s",
      "alias/alias > name the model of a call, their own before everybody's",
    ],
    [
      "alias.replace",
      "PUT replaces the whole alias; custody is envelope by default.",
      "alias/alias > are replaced whole",
    ],
    [
      "alias.shadow",
      "Built-in and catalogue aliases exist; personal ones shadow them.",
      "alias/alias > are listed: own, then built-in, then catalogue, as an array",
      "alias/alias > name the model of a call, their own before everybody's",
    ],
    [
      "alias.rev",
      "rev is one counter per account, raised by every write.",
      "alias/alias > count every write, deletions included, and tell devices what is new",
      "alias/alias > number parallel writes without a gap or a double",
    ],
  ]),
  ...tested("contract 6, models, routes, money", [
    [
      "responses.kept-days",
      "Turns are kept sealed per account for retention.responses_days; store: false is honoured.",
      "gateway/response/kept-responses > are gone on from, with nothing but the new input (pain 21)",
      "gateway/response/kept-responses > are not kept with store false, and refuse an unknown id with its param",
    ],
    [
      "responses.unknown",
      "An unknown previous_response_id is 400 with that param.",
      "gateway/response/kept-responses > are not kept with store false, and refuse an unknown id with its param",
    ],
  ]),
];
