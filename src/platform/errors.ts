/**
 * The one catalogue of refusals. Every error that leaves the server, over any protocol,
 * carries a code of this table. Transports translate it, nothing else invents a status.
 */
export interface ErrorDefinition {
  /** HTTP status of the refusal. */
  readonly status: number;
  /** What the code means, one sentence, for `/docs/errors`. */
  readonly summary: string;
  /** What the caller can do about it, for `/docs/errors`. */
  readonly remedy: string;
}

export const errorCatalog = {
  invalid_request: {
    status: 400,
    summary: "The request is malformed or a value in it is invalid.",
    remedy: "Read `param`: it names the field, header or query parameter to correct.",
  },
  unauthorized: {
    status: 401,
    summary: "The credential is missing, malformed or unknown.",
    remedy: "Send a live caller key as `Authorization: Bearer` or as `x-api-key`.",
  },
  byo_url: {
    status: 402,
    summary: "The key's budget or the wallet is spent.",
    remedy:
      "Link a vendor credential of your own (PUT /v1/vendors/{vendor}/credential), raise the key's budget (PATCH /v1/keys/{id}), or ask the operator for credits (POST /v1/admin/users/{user_id}/credits).",
  },
  insufficient_scope: {
    status: 403,
    summary: "The credential is revoked, lacks a scope, or may not call this route.",
    remedy: "Use a key that holds the scope which the message names.",
  },
  model_not_allowed: {
    status: 403,
    summary: "The key may not use that model.",
    remedy: "Use a model that matches the key's `allowed_models`, or change the key.",
  },
  no_vendor_credential: {
    status: 403,
    summary: "No usable vendor credential is available for that model.",
    remedy: "Link the vendor with PUT /v1/vendors/{vendor}/credential, or register an endpoint.",
  },
  no_custom_upstream: {
    status: 403,
    summary: "No custom endpoint of that name is available.",
    remedy: "Register the endpoint with POST /v1/upstreams, or correct the model id.",
  },
  invite_email_mismatch: {
    status: 403,
    summary: "The invite was sent to another e-mail address.",
    remedy: "Sign in with the invited address, or ask for a new invite.",
  },
  not_found: {
    status: 404,
    summary: "There is no such resource on this account, or no such route.",
    remedy: "Check the id and the path.",
  },
  conflict: {
    status: 409,
    summary: "The resource is not in a state that allows this change.",
    remedy: "Read the resource again; repeating the same request will not help.",
  },
  last_owner: {
    status: 409,
    summary: "The change would leave a team without an owner.",
    remedy: "Make another member an owner first.",
  },
  request_too_large: {
    status: 413,
    summary: "The request body is larger than the route accepts.",
    remedy: "Send a smaller body; the message names the limit.",
  },
  rate_limited: {
    status: 429,
    summary: "Too many requests in too short a time, or too many at once.",
    remedy: "Wait for `retry-after` seconds.",
  },
  internal_error: {
    status: 500,
    summary: "The server failed.",
    remedy: "Report the `request_id` to the operator.",
  },
  upstream_unreachable: {
    status: 502,
    summary: "The upstream could not be reached or broke off before it answered.",
    remedy: "Check the endpoint with POST /v1/upstreams/{slug}/probe.",
  },
  upstream_malformed: {
    status: 502,
    summary: "The upstream answered something that is not its dialect.",
    remedy: "Check the endpoint's `dialect` and `base_url`.",
  },
  upstream_incomplete: {
    status: 502,
    summary: "The upstream broke off in the middle of its answer.",
    remedy: "Repeat the request; what arrived is incomplete.",
  },
  unavailable: {
    status: 503,
    summary: "The server cannot take this request now: draining, overloaded, or without database.",
    remedy: "Wait for `retry-after` seconds.",
  },
  upstream_timeout: {
    status: 504,
    summary: "The upstream took longer than the configured limit.",
    remedy: "Repeat the request, or raise `limits` in the configuration file.",
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorCatalog;

/**
 * Codes that clients of a dialect act on, and codes of durable turns and of calls that broke off.
 * Answers and call records show them instead of a code of the catalog.
 */
export const dialectErrorCatalog = {
  previous_response_not_found: {
    status: 400,
    summary: "The response that `previous_response_id` names is not stored on this account.",
    remedy: "Send the whole conversation as `input`, and store the response that you continue.",
  },
  thread_unsupported_request: {
    status: 400,
    summary: "A request of messages asks for a `thread`, which only the vendor has.",
    remedy: "Send the whole conversation as `messages`. The official clients do it by themselves.",
  },
  websocket_connection_limit_reached: {
    status: 400,
    summary: "The WebSocket has been open for as long as it may be.",
    remedy: "Open another connection. The official clients do it by themselves.",
  },
  server_error: {
    status: 500,
    summary: "An agent turn or a background response failed in this server or at the upstream.",
    remedy: "Read the message, and send the request again.",
  },
  upstream_error: {
    status: 502,
    summary: "The upstream's stream broke off or reported an error without a code.",
    remedy: "Send the request again.",
  },
  interrupted: {
    status: 499,
    summary:
      "The process that made the call ended. The record stands for what was paid until then.",
    remedy: "Nothing: another process repeats the call of a turn.",
  },
} as const satisfies Record<string, ErrorDefinition>;

export type DialectErrorCode = keyof typeof dialectErrorCatalog;

export interface ApiErrorOptions {
  /** Dotted path of the offending field; only on `invalid_request`. */
  param?: string | undefined;
  /** Where to add budget; only on `byo_url`. */
  byoUrl?: string | undefined;
  /** Whole seconds, sent as `retry-after`; 1 if omitted of `unavailable`, which always has it. */
  retryAfterSeconds?: number | undefined;
  /** Nearest known names, where a name was not found. */
  suggestions?: readonly string[] | undefined;
  /** Further response headers, `allow` on a wrong method for instance. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Another status than the catalogue's: 405 of `invalid_request`, an upstream's own status. */
  status?: number | undefined;
  /** Members of a messages error's `details` that the vendor's client acts on; they win over ours. */
  vendorDetails?: Readonly<Record<string, unknown>> | undefined;
  /** The word of the caller's dialect that its clients act on; told in place of the code. */
  vendorCode?: DialectErrorCode | undefined;
  /** What really happened; logged, never shown. */
  cause?: unknown;
  /** The log says it already, once for many requests. */
  isLogged?: boolean | undefined;
}

/**
 * A refusal of the catalogue. The message is shown to the caller: it says what
 * was wrong and what to do, and holds no secret and no resolved address.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly byoUrl: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly suggestions: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly vendorDetails: Readonly<Record<string, unknown>> | undefined;
  readonly vendorCode: DialectErrorCode | undefined;
  readonly isLogged: boolean;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.status = options.status ?? errorCatalog[code].status;
    this.param = options.param;
    this.byoUrl = options.byoUrl;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (code === "unavailable" ? 1 : undefined);
    this.suggestions = options.suggestions;
    this.headers = options.headers;
    this.vendorDetails = options.vendorDetails;
    this.vendorCode = options.vendorCode;
    this.isLogged = options.isLogged ?? false;
  }
}

/** A 400 `invalid_request` that names the offending field. */
export function invalidRequestError(param: string, message: string): ApiError {
  return new ApiError("invalid_request", message, { param });
}

/** What a 401 must say of how to come again (RFC 9110, 11.6.1). */
export const bearerChallengeHeaders = { "www-authenticate": "Bearer" } as const;

/**
 * A 404 `not_found` for a resource of the caller's account, or of the whole
 * server where it belongs to no account or the operator asks.
 */
export function notFoundError(what: string, where: "account" | "server" = "account"): ApiError {
  const place = where === "account" ? " on this account" : "";
  return new ApiError("not_found", `There is no such ${what}${place}.`);
}
