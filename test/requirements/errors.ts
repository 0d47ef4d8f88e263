import { tested, type Requirement } from "./requirement.ts";

/** Errors and their codes. */
export const errors: readonly Requirement[] = tested([
  [
    "error.body",
    "A refusal has error, message, doc_url and request_id.",
    "contract/refusals > carries code, message, doc_url and request_id",
    "contract/operations > is refused without a credential",
  ],
  [
    "error.param",
    "On invalid_request, param names the field.",
    "contract/refusals > creating a key answers 400 and names %s: %j",
  ],
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
    "contract/refusals > with the body %j is 400",
    "gateway/route/refusals > name what is wrong with a body that has %s",
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
  [
    "error.402",
    "402 byo_url: budget or wallet is spent; byo_url is in the body.",
    "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
  ],
  [
    "error.409-owner",
    "409 last_owner: the last owner of a team would go.",
    "team/members > can neither leave nor be left as the only one",
    "team/users > is neither disabled nor deleted: 409 last_owner",
  ],
  [
    "error.499-agent",
    "An agent turn keeps running when the caller hangs up.",
    "gateway/agent/agent-lifecycle > leaves a turn that goes on, and is followed from the beginning at another process",
  ],
  [
    "code.content-type",
    "A wrong content type is 400.",
    "contract/refusals > with the content type %s is 400",
  ],
  ["code.path", "An unknown path is 404.", "contract/refusals > of the unknown path %s is 404"],
  [
    "code.method",
    "A wrong method is 405 with allow.",
    "contract/refusals > of the wrong method %s %s is 405",
    "contract/model-calls > %s needs POST",
  ],
  [
    "code.too-large",
    "Too large a body is 413 request_too_large.",
    "contract/refusals > of a body over 1 MiB on an ordinary operation is 413",
    "gateway/route/refusals > are refused when they turn out too large",
  ],
  [
    "code.internal",
    "500 internal_error says nothing of the cause.",
    "transport/rest/mount > say nothing of an error that nobody foresaw, and log it",
  ],
  [
    "code.upstream",
    "502 upstream_unreachable and upstream_malformed, 504 upstream_timeout.",
    "gateway/route/faults > faults before the first byte of $name",
    "gateway/route/faults > is told when nothing listens",
  ],
  [
    "code.unavailable",
    "503 unavailable with retry-after: database away, draining.",
    "process/database-away > refuses what needs it in time",
    "gateway/route/streams > are answered with a status when the server stops before they begin",
  ],
  [
    "code.mid-stream",
    "In a stream the codes are upstream_incomplete and upstream_timeout.",
    "gateway/route/streams > are reported as broken off when they end before their last event",
    "gateway/route/streams > end with an error when the upstream falls silent",
  ],
  [
    "code.shedding",
    "503 unavailable when load is shed.",
    "app/shedding > model calls are refused in the caller's dialect",
    "app/shedding > contract calls are refused over REST",
    "app/shedding > sheds load while it does, and takes calls afterwards",
  ],
  [
    "connect.codes",
    "Every status has its Connect code and an ErrorInfo detail.",
    "transport/interceptors/protocols > every refusal carries what the REST body says",
    "contract/refusals > a refusal has the code of its status and the detail of its body",
  ],
  [
    "request-id.everywhere",
    "x-request-id is on every response and equals request_id.",
    "contract/refusals > is on successes and refusals alike, on both ports",
    "contract/refusals > carries code, message, doc_url and request_id",
  ],
  [
    "request-id.kept",
    "An incoming one of 1 to 64 characters is kept.",
    "contract/refusals > of the caller is kept: %s",
    "contract/refusals > of another form is replaced: %s",
  ],
  [
    "request-id.correlation",
    "A request id serves correlation: it deduplicates and authorises nothing.",
    "contract/refusals > deduplicates nothing",
  ],
]);
