import { tested, type Requirement } from "./requirement.ts";

/** The list of models, and estimates of tokens. */
export const models: readonly Requirement[] = tested([
  [
    "tokens.shape",
    "A TokenCount has input_tokens.",
    "gateway/rpc/models > divides the code points of all text by four, rounded up",
  ],
  [
    "tokens.body",
    "count_tokens takes a messages body of which only `messages` is read; `model` is required.",
    "gateway/rpc/models > divides the code points of all text by four, rounded up",
    "gateway/rpc/models > refuses the body %j in the form of messages and names %s",
  ],
  [
    "tokens.estimate",
    "The estimate is characters divided by 4, without upstream call and charge.",
    "gateway/rpc/models > divides the code points of all text by four, rounded up",
  ],
  [
    "tokens.errors",
    "count_tokens refuses what is no JSON with 400, no key with 401, a revoked key with 403.",
    "gateway/rpc/models > refuses the body %j in the form of messages and names %s",
    "contract/operations > is refused to a revoked key with 403",
  ],
  [
    "tokens.rule",
    "The estimate is ceil(code points of all text / 4); tool inputs, names, ids and base64 do not count.",
    "gateway/rpc/models > divides the code points of all text by four, rounded up",
  ],
  [
    "tokens.params",
    "A missing model or messages is 400 with that param.",
    "gateway/rpc/models > refuses the body %j in the form of messages and names %s",
  ],
  [
    "model.required",
    "A Model has id, object `model`, created and owned_by.",
    "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
  ],
  [
    "model.optional",
    "A Model may have lane, tier, available, reason, min_plan, auto and two context sizes.",
    "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
  ],
  [
    "model.lane",
    "A Model's lane, tier and reason say how it would be served; the list is one page.",
    "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
    "gateway/rpc/models > says of each model what a call with this key would get",
    "gateway/rpc/models > says of what is sold that the wallet or the key's budget is spent, over REST and Connect",
  ],
  [
    "models.order",
    "Models are listed: agents, linked vendors, custom endpoints, the catalogue.",
    "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
  ],
  [
    "models.custom-ids",
    "Models of custom endpoints are listed as custom/<slug>/<id>.",
    "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
  ],
  [
    "models.errors",
    "listModels refuses no key with 401 and a revoked key with 403.",
    "gateway/rpc/models > needs a live key and no scope, and is what official clients read",
    "contract/operations > is refused to a revoked key with 403",
  ],
  [
    "clients.model-fields",
    "A Model has type, display_name and created_at: the list reads as either vendor's.",
    "gateway/rpc/model-entries > has the name and the time that its upstream tells, in the members of both clients",
    "gateway/rpc/model-entries > is what official clients retrieve and list",
    "gateway/rpc/model-entries > is called as its endpoint's model_names say, from the next list on",
  ],
  [
    "clients.model-created",
    "created is the upstream's, else when its endpoint or link was made; 0 where there is none.",
    "gateway/rpc/model-entries > has the name and the time that its upstream tells, in the members of both clients",
    "gateway/rpc/model-entries > is else called by its id and as old as its endpoint or link",
    "gateway/rpc/model-entries > of an agent or the catalogue is of the epoch",
  ],
  [
    "clients.bare-models",
    "Bare ids that would be served follow <vendor>/<id>, once each, without the catalogue's.",
    "gateway/rpc/model-entries > follow, once each, without what the catalogue lists or what names something else",
    "gateway/rpc/model-entries > are listed where a call would be served",
  ],
  [
    "clients.nearest-models",
    "A model that nobody serves is 403 no_vendor_credential with the three nearest names.",
    "gateway/routing/unknown-models > is refused with the three nearest names at %s",
    "gateway/routing/unknown-models > is refused with names that the key may use",
    "gateway/routing/unknown-models > may be one of a vendor that is not linked",
  ],
  [
    "clients.responses-endpoint",
    "A custom endpoint may be dialect_responses, on create and PATCH; auto never chooses it.",
    "contract/endpoints > takes dialect_responses, which passes for its own callers and is transcoded for others",
    "contract/endpoints > never chooses dialect_responses by itself",
    "contract/patch > probes again for another %s",
  ],
  [
    "clients.cors",
    "Pages of cors.origins call with a key: preflight without credential, no cookies, headers exposed.",
    "app/cross-origin > reads the answer to %s %s",
    "app/cross-origin > is asked for no credential before its call",
    "app/cross-origin > reads nothing where no origin is configured, nor on the tools port",
    "platform/configuration/configuration > refuses the file %j and names the key",
  ],
  [
    "clients.cors-closed",
    "Sign-in, session and operator routes are left out.",
    "app/cross-origin > reads nothing of %s %s, which takes no key",
  ],
  [
    "clients.query",
    "Query parameters pass with own credentials in the same dialect, else they are ignored.",
    "gateway/route/pass-through > passes the query of the address on",
    "gateway/transcode/requests > reach the upstream without the query of the caller's address",
    "gateway/credits/kept-on-credits > reach the vendor byte for byte but for what must change",
  ],
]);
