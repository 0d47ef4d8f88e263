import { tested, type Requirement } from "./requirement.ts";

/** What the services publish, and how it is named. */
export const publishedInterface: readonly Requirement[] = tested([
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
    "contract/refusals > with the content type %s is 400",
    "contract/refusals > with the body %j is 400",
  ],
  [
    "service.sse",
    "Streamed answers are server-sent events.",
    "gateway/route/streams > are passed on byte for byte with their content type",
  ],
  [
    "service.transcoding",
    "A call is transcoded to the upstream that its key routes to.",
    "gateway/transcode/matrix > gets a whole answer",
  ],
  [
    "service.agent",
    "A call of an agent model is answered by the caller's agent.",
    "gateway/agent/agent-answers > answers callers of chat, whole and streamed",
    "gateway/agent/agent-answers > answers callers of messages, whole and streamed",
  ],
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
  [
    "service.documents",
    "What was learned of a shipped service is published as OpenAPI 3.1.",
    "document/services > is published with POST …/ship and taken back with POST …/unship",
  ],
  [
    "version.path",
    "API paths begin with /v1/.",
    "contract/proto > are exactly those that are pinned",
  ],
  [
    "version.legacy",
    "`upstreams` and the slug `custom` are legacy.",
    "contract/endpoints > and the same rows under the legacy name",
    "contract/endpoints > never gives the slug custom",
  ],
  [
    "published.openapi",
    "/openapi.json on each port is valid OpenAPI 3.1, with the operation ids of the proto files.",
    "contract/published-interface > publishes valid OpenAPI 3.1",
    "contract/published-interface > holds every operation that is mounted, under its operation id",
  ],
  [
    "published.docs",
    "/docs shows the OpenAPI document.",
    "contract/published-interface > renders it under /docs",
    "transport/docs/docs-routes > renders the document of the same port",
  ],
  [
    "published.errors",
    "/docs/errors explains every code; doc_url points there.",
    "contract/published-interface > and explains every error code under /docs/errors",
    "contract/refusals > carries code, message, doc_url",
  ],
  [
    "name.proto",
    "Packages causeway.<package>.v1, services <Name>Service, methods named like the operation ids.",
    "contract/proto > belong to services named after their package",
    "contract/proto > are exactly those that are pinned",
  ],
  [
    "name.json",
    "Over Connect JSON is proto JSON; over REST names are in snake case and enums in lower case.",
    "transport/interceptors/protocols > a handler gives the answer that it gives over REST",
    "contract/json/codec > decodes what it encodes: $typeName",
  ],
  [
    "operations.proto",
    "All operations are in proto with REST routes.",
    "contract/proto > are exactly those that are pinned",
    "contract/proto > exist for everything but streams",
  ],
  [
    "operations.hand-written",
    "Only the model calls and the three on kept responses are written by hand, REST only.",
    "contract/proto > are exactly those that are pinned",
    "contract/published-interface > holds every operation that is mounted, under its operation id",
    "contract/published-errors > describes every refusal that its operations send",
    "contract/published-errors > describes an upstream's error %s",
  ],
  [
    "operations.envelope",
    "Lists have the list envelope, errors the flat error body.",
    "contract/proto > have the list envelope",
    "contract/operations > is refused without a credential",
  ],
  [
    "operations.foreign-json",
    "Foreign JSON is carried as Struct or HttpBody.",
    "contract/json/encode-message > prints foreign JSON as it is",
    "transport/rest/mount > answer an HttpBody raw",
  ],
  [
    "operations.statuses",
    "A POST that creates answers 201, other successes 200.",
    "contract/operations > succeeds over REST with the contract's status",
    "contract/proto > are exactly those that are pinned",
  ],
  [
    "operations.pages",
    "All lists page like the team lists.",
    "contract/paging > knows every list that is mounted",
    "contract/proto > page like the team lists",
  ],
  [
    "operations.known-address",
    "createUser with a known address is 409.",
    "contract/operator > of a known address are 409: %j",
  ],
  [
    "operations.last-owner",
    "Disabling or deleting the last owner of a team is 409 last_owner.",
    "account/users > changes nothing when a team would lose its last owner",
  ],
  [
    "operations.member-owner",
    "The operator makes a member an owner and gets the TeamMember.",
    "team/members > can leave once the operator has made another owner",
  ],
  [
    "operations.team-key",
    "team_id on the operator's key route makes a team key.",
    "team/team-keys > is made by the operator in a member's name",
  ],
]);
