import { tested, type Requirement } from "./requirement.ts";

/** Contract section 6: calls to upstreams. */
export const contractUpstreamCalls: readonly Requirement[] = [
  ...tested("contract 6, calls to upstreams", [
    [
      "address.paths",
      "<base_url>/models, /chat/completions, /responses and /messages are dialled.",
      "contract/endpoints > dials with the key in the style of the dialect",
      "gateway/route/pass-through > sends the body byte for byte",
    ],
    [
      "address.slash",
      "A trailing slash is ignored; no path means /v1, returned as sent.",
      "upstream/upstream > returns a base address as it was sent",
      "platform/endpoint/base-address > dials %s at %s",
    ],
    [
      "address.dialect",
      "A custom endpoint is dialled in its stored dialect only.",
      "contract/model-calls > %s refuses %s with %i %s",
    ],
    [
      "address.responses",
      "Responses pass through where the vendor's dialects hold dialect_responses; the own dialect wins.",
      "contract/model-calls > %s reaches %s",
      "gateway/routing/plan > speaks the caller's dialect where a vendor has it, else the first that it names",
    ],
    [
      "same.body",
      "The body reaches the upstream byte for byte, but for the model name.",
      "app/model-calls > reach the upstream byte for byte",
      "gateway/route/pass-through > keeps any body as it is",
    ],
    [
      "same.answer",
      "The answer's bytes are relayed as they are.",
      "gateway/route/pass-through > passes the answer on with its content type and nothing else",
      "gateway/route/streams > are passed on byte for byte",
    ],
    [
      "same.request-headers",
      "Only the request headers listed are passed on.",
      "gateway/route/pass-through > passes on the listed request headers and no other",
    ],
    [
      "same.version",
      "anthropic-version absent: 2023-06-01.",
      "gateway/route/pass-through > fills in the version of messages only",
    ],
    [
      "same.answer-headers",
      "Of the answer only content-type passes, and retry-after on errors.",
      "gateway/route/pass-through > passes the answer on with its content type and nothing else",
      "gateway/route/faults > pass a well-formed retry-after on and invent none",
    ],
    [
      "error-body.nested",
      "Chat and responses nest message, type, param, code, doc_url and request_id.",
      "contract/model-calls > points to the explanation of its refusal",
      "dialect/error > nests everything in error",
    ],
    [
      "error-body.messages",
      "Messages: type error, details with code, param and doc_url, request_id outside.",
      "contract/model-calls > gives 429 in the dialect",
      "dialect/error > puts the code into details for messages",
    ],
    [
      "error-body.headers",
      "x-request-id and request-id are on model answers.",
      "contract/model-calls > answers with our request id under both names",
    ],
    [
      "error-body.flat",
      "All else has the flat body.",
      "contract/refusals > carries code, message, doc_url and request_id",
    ],
    [
      "upstream-error.status",
      "Every status is kept, 529 included, with its message.",
      "gateway/route/faults > keep the status %i and the message",
    ],
    [
      "upstream-error.leak",
      "No upstream header or key leaks.",
      "gateway/route/faults > leak no header, credential or address",
    ],
    [
      "upstream-error.401",
      "Its 401 and 403 become 403 no_vendor_credential.",
      "gateway/route/faults > do not let a %i look like the caller's own key",
    ],
    [
      "upstream-error.retry-after",
      "retry-after is passed on.",
      "gateway/route/faults > pass a well-formed retry-after on",
    ],
    [
      "upstream-error.unreachable",
      "Unreachable is 502 upstream_unreachable.",
      "gateway/route/faults > is told when nothing listens",
    ],
    [
      "upstream-error.timeout",
      "Timed out is 504 upstream_timeout.",
      "gateway/route/faults > faults before the first byte of $name",
      "gateway/route/streams > end with an error when the upstream falls silent",
    ],
    [
      "break-off.stream",
      "A break mid-stream is the dialect's error event, never a clean end.",
      "gateway/route/streams > are reported as broken off when they end before their last event",
      "gateway/route/official-clients > throw when a stream breaks off, is cut short or falls silent",
    ],
    [
      "break-off.early",
      "Before the first event it is the HTTP status.",
      "gateway/route/streams > become a status when their first event is an error",
      "gateway/route/faults > is told when an answer breaks off",
    ],
    [
      "retry.twice",
      "Retries: twice at most, before the first byte, for connect failures, resets and empty answers.",
      "gateway/route/faults > faults before the first byte of $name",
      "gateway/route/faults > is nothing to the caller when a retry helps",
    ],
    [
      "retry.status",
      "A status is never retried at the same target.",
      "gateway/route/faults > keep the status %i and the message",
    ],
    [
      "hang-up.cancel",
      "When the caller hangs up the upstream request is cancelled at once; the log says 499.",
      "gateway/route/abort > %s cancels the upstream at once",
      "gateway/route/official-clients > cancel the upstream when they abort",
    ],
    [
      "keep-alive.silence",
      "At most 15 s of silence: comments in chat and responses, ping events in messages.",
      "gateway/route/streams > get the dialect's keep-alive while the upstream is silent",
    ],
    [
      "probe.request",
      "A probe is GET <base_url>/models with the stored key in the dialect's style.",
      "contract/endpoints > dials with the key in the style of the dialect",
      "platform/endpoint/probe-endpoint > asks for the list with the key in the dialect's own style",
    ],
    [
      "probe.limits",
      "It takes 10 s and 1 MiB at most.",
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
      "It is fixed for ever.",
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
      "It is checked again at every dial.",
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
  ]),
  ...tested("contract 6, calls to upstreams", [
    [
      "address.transcoded",
      "Responses callers are transcoded at a custom endpoint.",
      "gateway/transcode/matrix > gets a whole answer",
      "gateway/transcode/matrix > gets a stream, which the client's accumulator understands as the whole answer",
    ],
    [
      "transcoded.ids",
      "The answer has the caller's model id and ids of ours.",
      "gateway/transcode/matrix > gets a whole answer",
    ],
    [
      "error-body.responses",
      "/v1/responses/{id} refuses in the form of responses.",
      "gateway/response/kept-responses > refuse in the responses dialect: no key, a session, a key without the scope",
    ],
  ]),
  ...tested("contract 6, calls to upstreams", [
    [
      "transcoded.loss",
      "A loss of meaning is 400 with param; a loss of advice is listed in x-svc-warnings.",
      "gateway/transcode/requests > tells what was lost in x-svc-warnings, and nothing where nothing was",
      "gateway/transcode/requests > tells it in the head of a stream, too",
      "gateway/transcode/requests > refuses what cannot be asked with its path, and calls nobody",
    ],
    [
      "transcoded.strict",
      "x-svc-strict: true turns every warning into a 400.",
      "gateway/transcode/requests > refuses the loss with x-svc-strict, and calls nobody",
    ],
  ]),
  ...tested("contract 6, calls to upstreams", [
    [
      "same.include-usage",
      "On credits stream_options.include_usage is added and its frame not passed on.",
      "wallet/wallet > ask for the usage and keep it from a caller who did not",
    ],
    [
      "error-body.tokens",
      "count_tokens refuses in the form of messages; models in the flat body.",
      "gateway/rpc/models > refuses %j in the messages form, param %s",
      "gateway/rpc/models > needs a live key and no scope, and is what official clients read",
    ],
    [
      "error-body.byo-url",
      "byo_url stands inside error or details.",
      "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
    ],
    [
      "retry.next-route",
      "429 and 5xx go on to the next own route that serves the model.",
      "gateway/route/failover > goes on to the next after %d",
    ],
  ]),
  ...tested("contract 6, calls to upstreams", [
    [
      "hang-up.settle",
      "Usage so far is settled.",
      "wallet/wallet > pays for what was relayed when the caller hangs up",
    ],
  ]),
  ...tested("contract 6, calls to upstreams", [
    [
      "retry.own-option",
      "A 400 against an option that we added is repeated once without it.",
      "gateway/transcode/requests > no stream_options, %s caller",
      "wallet/wallet > go without the usage where the upstream refuses the option, and remember it",
    ],
  ]),
  ...tested("contract 6, calls to upstreams", [
    [
      "hang-up.agent",
      "An agent turn keeps running.",
      "gateway/agent/agent-lifecycle > leaves a turn that goes on, and is followed from the beginning at another process",
    ],
  ]),
];
