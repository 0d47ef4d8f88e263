import { tested, type Requirement } from "./requirement.ts";

/** The log of calls, tags and telemetry. */
export const calls: readonly Requirement[] = tested([
  [
    "calls.list",
    "GET /v1/calls lists calls newest first in keyset pages, with every field of a Call.",
    "call-log/calls > lists the call that ended last first, in pages of either direction",
    "call-log/calls > shows all of a call but bodies, headers and addresses",
  ],
  [
    "calls.filters",
    "listCalls filters by from, to, model, key_id, status, error_code and tag; a bad one is 400 with its param.",
    "call-log/calls > finds calls by each of its conditions, and by several at once",
    "call-log/calls > refuses %s=%s with its param",
  ],
  [
    "calls.unanswered",
    "A call that was let in is kept, answered or not, with what was never known as null.",
    "call-log/calls > shows a call that was refused before its model was known, with nothing used",
    "call-log/call-log > leaves the ledger alone where a call used nothing, or was paid for",
  ],
  [
    "calls.header",
    "x-svc-call on every answer to a model call is the call's id; refusals before admission have none.",
    "gateway/call/keep-call > is named in its answer, and kept by that id with all that is known of it",
    "gateway/call/keep-call > is kept when its body is refused",
    "gateway/call/keep-call > %s has no id, and is not kept",
  ],
  [
    "calls.own",
    "A key sees its own calls, a session those of its account; GET /v1/calls/{id} likewise.",
    "call-log/calls > to a key its own, to a session those of all keys of the account",
  ],
  [
    "calls.team",
    "GET /v1/calls?team_id= is for the team's owners and admins.",
    "call-log/calls > of a team to its owners and admins, and to its keys their own",
  ],
  [
    "calls.operator",
    "GET /v1/admin/calls lists the calls of all accounts, with account_id.",
    "call-log/calls > of everybody to the operator, with the account, or of one account",
  ],
  [
    "calls.turn",
    "Each model call of a turn is a Call with turn.",
    "call-log/calls > shows all of a call but bodies, headers and addresses",
  ],
  [
    "calls.retention",
    "After retention.calls_days only the descriptive columns go; ledger and usage stay.",
    "call-log/retention > a day goes as soon as all of it is older than retention.calls_days, whoever renews",
    "call-log/retention > what calls used stays when they are gone, in the ledger and in usage",
    "call-log/retention > a call that is gone is still a cursor",
  ],
  [
    "calls.repeated",
    "A call that was made again is repeated: a boolean in a Call, an integer in a Usage row.",
    "wallet/tags > counts calls that were made again",
    "call-log/calls > shows all of a call but bodies, headers and addresses",
  ],
  [
    "tags.header",
    "x-svc-tags has at most 10 names and values of set forms; a bad one or a name twice is 400.",
    "gateway/admission/read-tags > is read: %s",
    "gateway/admission/read-tags > may hold ten, of any name",
    "gateway/admission/read-tags > is refused with its name as param: %s",
    "contract/model-calls > answer 400 and name the header where a call of %s sends %j",
  ],
  [
    "tags.kept",
    "Tags are kept on the call and on its usage row, paid for or not.",
    "call-log/call-log > writes a call into the ledger as it was answered, by whom and when",
    "wallet/tags > sums the calls of each value, paid or not, and leaves out those without the tag",
  ],
  [
    "tags.usage",
    "GET /v1/usage?group_by=tag&tag= sums by value and leaves out calls without the tag.",
    "wallet/tags > sums the calls of each value, paid or not, and leaves out those without the tag",
    "wallet/tags > refuses %s with its param",
  ],
  [
    "tags.of-keys",
    "Key field tags, a map of at most 10, is set like name.",
    "contract/key-tags > are set when it is made, replaced whole, and taken away by an empty map",
    "contract/key-tags > are at most ten",
    "contract/key-tags > refuses %s",
  ],
  [
    "tags.key-wins",
    "A key's tags are added to each of its calls and win; they do not count for the header's ten.",
    "gateway/admission/read-tags > are those that were sent and those of the key, which win and do not count",
  ],
  [
    "telemetry.metrics",
    "Metrics carry the GenAI conventions: duration, tokens and time to first chunk, by operation, provider and models.",
    "app/model-telemetry > tells durations and tokens of operations by provider and model",
    "app/model-telemetry > tells the time to the first chunk of streams only",
    "app/model-telemetry > tells each target of a call that went elsewhere",
    "app/model-telemetry > names providers as the conventions do, and no endpoint of an account",
  ],
  [
    "telemetry.spans",
    "Spans carry the GenAI conventions, usage included.",
    "platform/telemetry/tracer > one per request, continuing the caller's trace, and one per operation of a model below it",
    "app/model-telemetry > gets the metrics under the names of the conventions, and spans that belong together",
  ],
  [
    "telemetry.no-contents",
    "Neither spans nor metrics hold contents; tags never stand in metrics.",
    "app/model-telemetry > says nothing of what callers send along",
    "app/model-telemetry > gets the metrics under the names of the conventions, and spans that belong together",
  ],
  [
    "telemetry.bounded",
    "Labels are bounded, whatever callers name.",
    "app/model-telemetry > has no model that nobody serves, whatever callers name",
    "platform/telemetry/model-operation-metrics > have a hundred names a provider, whatever is named by whom",
  ],
  [
    "telemetry.otlp",
    "Metrics stand at /metrics and, where OTEL_EXPORTER_OTLP_ENDPOINT is set, go there too.",
    "app/model-telemetry > gets metrics as often as the environment says, until they are turned off",
    "process/telemetry > every process of a server sends its own metrics, and what is left when it ends",
  ],
]);
