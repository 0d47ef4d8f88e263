import { tested, type Requirement } from "./requirement.ts";

/** Contract sections 10 and 11: what is asked of the gateway's port beside model calls. */
export const contractRoutes: readonly Requirement[] = [
  ...tested("contract 10, answers that outlive the connection", [
    [
      "lasting.asked-alone",
      "The vendor that answered is remembered with the call and asked alone.",
      "gateway/response/vendor-responses > is asked of the vendor that gave it alone, by everything that the client can ask",
      "gateway/response/vendor-responses > is remembered of a stream that its caller left, and of an endpoint",
      "gateway/response/vendor-responses > has its own error passed on in the dialect, without its secrets",
      "gateway/response/other-process > is asked for alone at another process",
    ],
    [
      "lasting.search",
      "Without it GET asks in link order; DELETE and cancel go only where a GET knows the id.",
      "gateway/response/vendor-responses > is asked of each in link order where nobody remembers, and passed on as it is",
      "gateway/response/vendor-responses > is deleted, cancelled and read only where a GET knows it",
    ],
    [
      "lasting.ids",
      "Only ids of 1 to 128 of A-Z, a-z, 0-9, _ and - that are no turn's are asked for; 5 s a vendor.",
      "gateway/response/vendor-responses > is asked of nobody under the id %s",
      "gateway/response/vendor-responses > is not waited for longer than five seconds, and found behind whoever is silent",
    ],
    [
      "lasting.key",
      "The key's route must allow byo and its allowed_models the answer's model, else 404.",
      "gateway/response/vendor-responses > is asked of nobody for a key whose route is credits",
      "gateway/response/vendor-responses > is 404 for a key that may not use its model, whatever it asks",
      "gateway/response/vendor-responses > is not another account's",
    ],
    [
      "lasting.nowhere",
      "Unknown everywhere is 404; unknown at some and unreachable at others 502.",
      "gateway/response/vendor-responses > is 404 in the responses dialect, and 502 when somebody could not be asked",
    ],
    [
      "operation.listResponseInputItems",
      "GET /v1/responses/{id}/input_items: what was kept, paged as the dialect does.",
      "gateway/response/kept-responses > tell what they were asked with, page by page, each item with an id",
    ],
    [
      "operation.countResponseInputTokens",
      "POST /v1/responses/input_tokens: passed through to a vendor, else the estimate of count_tokens.",
      "gateway/response/input-tokens > is passed through to a vendor that speaks responses",
      "gateway/response/input-tokens > is the estimate for %s, and nobody is called",
    ],
    [
      "lasting.upgrade",
      "GET /v1/responses with an upgrade to WebSocket is 426; other upgrades are ignored.",
      "gateway/route/upgrade > is answered 426 for %s",
      "gateway/route/upgrade > is answered as without it: %s",
    ],
  ]),
  ...tested("contract 11, what clients look at", [
    [
      "operation.getModel",
      "GET /v1/models/{id} answers what the list has, slashes as they are or escaped; else 404.",
      "gateway/rpc/model-entries > answers what the list has, its slashes as they are or escaped",
      "gateway/rpc/model-entries > answers what a call would not get",
      "gateway/rpc/model-entries > is 404 for anything else, in the flat form",
      "gateway/rpc/model-entries > is what official clients retrieve and list",
      "contract/operations > succeeds over REST with the contract's status",
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
  ]),
];
