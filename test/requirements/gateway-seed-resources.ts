import { tested, type Requirement } from "./requirement.ts";

/** The resources of the gateway seed, but for teams. */
export const gatewaySeedResources: readonly Requirement[] = [
  ...tested("gateway seed, What the service does", [
    [
      "service.three-styles",
      "Calls come in three styles and are answered in the caller's.",
      "gateway/route/official-clients > get whole answers",
      "gateway/route/refusals > are in the caller's dialect",
    ],
    [
      "service.pass-through",
      "A call can pass through to the caller's own vendor key.",
      "app/model-calls > reach the upstream byte for byte",
      "contract/model-calls > until it is linked",
    ],
    [
      "service.endpoints",
      "A caller registers compatible endpoints, which are probed.",
      "contract/endpoints > answers 201 with the endpoint and its probe",
    ],
    [
      "service.json",
      "Bodies are JSON unless stated.",
      "contract/refusals > of the content type %s is 400",
      "contract/refusals > of the body %j is 400",
    ],
    [
      "service.sse",
      "Streamed answers are server-sent events.",
      "gateway/route/streams > are passed on byte for byte with their content type",
    ],
  ]),
  ...tested("gateway seed, What the service does", [
    [
      "service.transcoding",
      "A call is transcoded to the upstream that its key routes to.",
      "gateway/transcode/matrix > gets a whole answer",
    ],
  ]),
  ...tested("gateway seed, What the service does", [
    [
      "service.agent",
      "A call of an agent model is answered by the caller's agent.",
      "gateway/agent/agent-answers > answers callers of chat, whole and streamed",
      "gateway/agent/agent-answers > answers callers of messages, whole and streamed",
    ],
  ]),
  ...tested("gateway seed, What the service does", [
    [
      "service.tokens-and-models",
      "Input tokens are estimated, and the models of a key listed.",
      "gateway/rpc/models > lists agents, linked vendors in link order, custom endpoints, the catalogue",
      "gateway/rpc/models > divides the code points of all text by four, rounded up",
    ],
    [
      "service.aliases",
      "A caller's aliases map a token to a vendor and a model.",
      "alias/alias > name the model of a call, their own before everybody's",
    ],
  ]),
  ...tested("gateway seed, What the service does", [
    [
      "service.documents",
      "What was learned of a shipped service is published as OpenAPI 3.1.",
      "document/services > is published with POST …/ship and taken back with POST …/unship",
    ],
  ]),

  ...tested("gateway seed, List envelope", [
    [
      "list.envelope",
      "A list has object, data, has_more, first_id and last_id.",
      "contract/proto > have the envelope of the seed",
      "contract/endpoints > has the envelope",
      "contract/vendors > shows each vendor, linked or not",
    ],
    [
      "list.ids",
      "first_id and last_id are the cursors to the neighbouring pages, or null.",
      "contract/paging > gives every row once, in one order, forwards and backwards",
      "contract/paging > gives nulls on an empty page",
    ],
  ]),

  ...tested("gateway seed, Upstream", [
    [
      "upstream.slug",
      "slug is the endpoint's id.",
      "contract/endpoints > keeps its slug when its label changes",
    ],
    [
      "upstream.label",
      "label is always there.",
      "contract/endpoints > answers 201 with the endpoint",
    ],
    [
      "upstream.base-url",
      "base_url is always there.",
      "contract/endpoints > answers 201 with the endpoint",
    ],
    [
      "upstream.dialect",
      "dialect is dialect_chat or dialect_messages.",
      "contract/endpoints > answers 201 with the endpoint",
      "contract/patch > does not take auto for a dialect",
    ],
    [
      "upstream.headers",
      "headers are shown redacted to caller keys.",
      "contract/endpoints > shows header values to a session and to no key",
    ],
    [
      "upstream.models",
      "models is a list of ids.",
      "contract/endpoints > answers 201 with the endpoint",
    ],
    [
      "upstream.model-names",
      "model_names is an object.",
      "contract/endpoints > answers 201 with the endpoint",
    ],
    [
      "upstream.model-meta",
      "model_meta is an object.",
      "contract/endpoints > answers 201 with the endpoint",
    ],
    [
      "upstream.probe",
      "probe is the last UpstreamProbe.",
      "contract/endpoints > answers 201 with the endpoint",
    ],
    [
      "upstream.updated-at",
      "updated_at is a time.",
      "contract/endpoints > answers 201 with the endpoint",
    ],
    [
      "upstream.key-hidden",
      "The API key is stored and never returned.",
      "contract/endpoints > and its key to nobody",
    ],
    [
      "upstream.probe-fields",
      "A probe has ok, and models_found, error and at.",
      "contract/endpoints > saves an endpoint whose probe fails",
      "contract/endpoints > answers 201 with the endpoint",
    ],
    [
      "upstream.with-probe",
      "UpstreamWithProbe holds both the endpoint and its probe.",
      "contract/endpoints > answers 201 with the endpoint",
    ],
  ]),
  ...tested("gateway seed, Model and aliases", [
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
      "tokens.shape",
      "A TokenCount has input_tokens.",
      "gateway/rpc/models > divides the code points of all text by four, rounded up",
    ],
    [
      "alias.write-shape",
      "An AliasWrite has ok, token and rev.",
      "alias/alias > are replaced whole",
    ],
  ]),

  ...tested("gateway seed, Custom endpoint probe", [
    [
      "probe.create",
      "A new endpoint is saved whether its probe succeeds or fails.",
      "contract/endpoints > saves an endpoint whose probe fails",
      "upstream/upstream > saves the endpoint when the probe fails",
    ],
    [
      "probe.patch",
      "A PATCH that changes the dial probes again; the answer carries the last probe.",
      "contract/patch > probes again for another %s",
      "contract/patch > carries the last probe and makes none",
    ],
    [
      "probe.post",
      "A probe folds in what is listed; a failed one is still 200 and says so.",
      "contract/endpoints > is 200 when the probe fails, folds in what is listed and removes nothing",
    ],
    [
      "probe.delete",
      "Removing an endpoint removes its stored key.",
      "contract/endpoints > is removed with 204 and no body, its stored key with it",
    ],
  ]),
];
