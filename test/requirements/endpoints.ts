import { tested, type Requirement } from "./requirement.ts";

/** Custom endpoints and their probes. */
export const endpoints: readonly Requirement[] = tested([
  [
    "upstream.slug",
    "The slug of an endpoint is its id.",
    "contract/endpoints > keeps its slug when its label changes",
  ],
  [
    "upstream.label",
    "An endpoint always has a label.",
    "contract/endpoints > answers 201 with the endpoint",
  ],
  [
    "upstream.base-url",
    "An endpoint always has a base_url.",
    "contract/endpoints > answers 201 with the endpoint",
  ],
  [
    "upstream.dialect",
    "The dialect of an endpoint is dialect_chat, dialect_messages or dialect_responses.",
    "contract/endpoints > answers 201 with the endpoint",
    "contract/patch > does not take auto for a dialect",
  ],
  [
    "upstream.headers",
    "The headers of an endpoint are shown redacted to caller keys.",
    "contract/endpoints > shows header values to a session and to no key",
  ],
  [
    "upstream.models",
    "The models of an endpoint are a list of ids.",
    "contract/endpoints > answers 201 with the endpoint",
  ],
  [
    "upstream.model-names",
    "The model_names of an endpoint are an object.",
    "contract/endpoints > answers 201 with the endpoint",
  ],
  [
    "upstream.model-meta",
    "The model_meta of an endpoint is an object.",
    "contract/endpoints > answers 201 with the endpoint",
  ],
  [
    "upstream.probe",
    "The probe of an endpoint is its last UpstreamProbe.",
    "contract/endpoints > answers 201 with the endpoint",
  ],
  [
    "upstream.updated-at",
    "The updated_at of an endpoint is a time.",
    "contract/endpoints > answers 201 with the endpoint",
  ],
  [
    "upstream.key-hidden",
    "The API key of an endpoint is stored and never returned.",
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
  [
    "endpoints.list",
    "The list of endpoints holds every endpoint of the account.",
    "contract/endpoints > shows the endpoints of one account only",
    "contract/paging > gives every row once",
    "acceptance/upstream-list > GET /v1/upstreams lists every endpoint of the account",
  ],
  [
    "endpoints.legacy",
    "In the list of endpoints `upstreams` repeats `data`.",
    "contract/endpoints > and the same rows under the legacy name",
  ],
  [
    "endpoints.create-body",
    "createUpstream needs label, base_url and api_key.",
    "contract/endpoints > needs %s",
  ],
  [
    "endpoints.create-options",
    "In createUpstream dialect may be auto; headers and models are optional.",
    "upstream/upstream > tells the dialect when it is left to the server",
    "contract/endpoints > takes 20 headers of 4 KiB",
  ],
  [
    "endpoints.create-answer",
    "createUpstream answers 201 with UpstreamWithProbe, also after a failed probe.",
    "contract/endpoints > saves an endpoint whose probe fails",
  ],
  [
    "endpoints.create-errors",
    "createUpstream refuses with 400, 401 and 403 as every operation does.",
    "contract/operations > answers 400 and names the value that is wrong",
    "contract/operations > is refused without a credential",
  ],
  [
    "endpoints.patch-body",
    "updateUpstream changes label, dialect, api_key, models and model_names.",
    "contract/patch > replaces lists and maps whole",
    "contract/patch > probes again for another %s",
  ],
  [
    "endpoints.patch-dialect",
    "updateUpstream takes no dialect auto.",
    "contract/patch > does not take auto for a dialect, nor another base_url",
  ],
  [
    "endpoints.delete",
    "deleteUpstream answers 204 without a body.",
    "contract/endpoints > is removed with 204 and no body",
  ],
  [
    "endpoints.probe",
    "The probe dials the stored endpoint and needs no body.",
    "contract/endpoints > dials with the key in the style of the dialect",
  ],
  [
    "endpoints.not-found",
    "The slug of no endpoint is 404.",
    "contract/operations > answers 404 for what does not exist",
  ],
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
    "A probe adds the models that the endpoint lists; a failed one is still 200 and says so.",
    "contract/endpoints > is 200 when the probe fails, folds in what is listed and removes nothing",
  ],
  [
    "probe.delete",
    "Removing an endpoint removes its stored key.",
    "contract/endpoints > is removed with 204 and no body, its stored key with it",
  ],
  [
    "probe.request",
    "A probe is GET <base_url>/models with the stored key in the dialect's style.",
    "contract/endpoints > dials with the key in the style of the dialect",
    "platform/endpoint/probe-endpoint > asks for the list with the key in the dialect's own style",
  ],
  [
    "probe.limits",
    "A probe takes 10 s and 1 MiB at most.",
    "platform/endpoint/probe-endpoint > reports timeout for a connection that does not come about",
    "platform/endpoint/probe-endpoint > reports %s for %s",
  ],
  [
    "probe.one-token",
    "On 404 or 405 a one-token call tells the dialect.",
    "platform/endpoint/probe-endpoint > asks an endpoint without a list for one token: %s",
  ],
  [
    "probe.auto",
    "auto tries both dialects.",
    "platform/endpoint/probe-endpoint > tries the other style when the first is refused",
    "upstream/upstream > tells the dialect when it is left to the server",
  ],
  [
    "probe.auto-style",
    "auto is decided by an endpoint that answers with that credential style.",
    "contract/endpoints > is dialled in the dialect whose credential style its endpoint answers",
    "platform/endpoint/probe-endpoint > finds %s where only %s is answered, whatever the list",
  ],
  [
    "probe.vocabulary",
    "probe.error has a fixed vocabulary and never the upstream's body.",
    "platform/endpoint/probe-endpoint > reports %s for %s",
    "platform/endpoint/probe-endpoint > reports blocked_address for what policy refuses",
    "platform/endpoint/probe-endpoint > reports dns for an unknown name",
    "platform/endpoint/probe-endpoint > reports tls for a server without TLS",
  ],
  [
    "probe.dialect",
    "An omitted dialect is auto; undecided it is dialect_chat.",
    "upstream/upstream > saves the endpoint when the probe fails",
    "upstream/upstream-changes > decides a dialect that could not be told before",
  ],
  [
    "probe.models",
    "Models sent come first and in order, listed ones are appended, none is removed.",
    "contract/endpoints > answers 201 with the endpoint",
    "contract/endpoints > is 200 when the probe fails, folds in what is listed and removes nothing",
  ],
  [
    "probe.patch-models",
    "PATCH models sets the list.",
    "contract/patch > replaces lists and maps whole",
  ],
  [
    "probe.maps",
    "model_names is id to name, model_meta id to context_window and max_output_tokens.",
    "contract/endpoints > answers 201 with the endpoint",
  ],
  [
    "probe.patch-headers",
    "PATCH takes headers whole; [redacted] keeps the stored value.",
    "contract/endpoints > keeps a header that is sent back redacted",
    "upstream/upstream-changes > replaces headers whole, keeps what is redacted, and probes again",
  ],
  [
    "probe.again",
    "A change of dialect, api_key or headers probes again.",
    "contract/patch > probes again for another %s",
  ],
  [
    "slug.form",
    "The slug is the label in [a-z0-9-], at most 63, unique by -2, -3.",
    "contract/endpoints > never gives the slug custom, and numbers equal labels",
    "upstream/slug > keeps to 63 characters with the number",
  ],
  [
    "slug.fixed",
    "A slug never changes.",
    "contract/endpoints > keeps its slug when its label changes",
  ],
  [
    "slug.custom",
    "custom is reserved and never given.",
    "contract/endpoints > never gives the slug custom, and numbers equal labels",
  ],
  [
    "base-url.refused",
    "A refused base_url is 400 param base_url, nothing saved; names are resolved.",
    "contract/endpoints > refuses %s, names what was sent, and saves nothing",
    "upstream/upstream > refuses %s and saves nothing",
  ],
  [
    "base-url.every-dial",
    "A base_url is checked again at every dial.",
    "platform/dial/dialer > refuses a name that has turned to loopback since it was checked",
  ],
  [
    "base-url.unknown-name",
    "An unknown name or an unreachable address is saved with a failed probe.",
    "contract/endpoints > saves an endpoint with a name %s, which nobody can resolve",
    "upstream/upstream > saves an endpoint whose name is not known",
  ],
  [
    "base-url.message",
    "The message names host and port as sent, never the resolved address.",
    "contract/endpoints > refuses %s, names what was sent, and saves nothing",
    "platform/dial/dialer > refuses a name when any of its addresses is bad, and does not show the address",
  ],
  [
    "headers.count",
    "At most 20 headers with values up to 4 KiB.",
    "contract/endpoints > takes 20 headers of 4 KiB and not one more",
  ],
  [
    "headers.names",
    "Names that frame, authenticate or forward are refused with param headers.<name>.",
    "contract/endpoints > refuses the header %s",
    "platform/endpoint/header-rules > refuses the name %j",
  ],
]);
