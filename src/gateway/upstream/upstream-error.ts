import type { IncomingHttpHeaders } from "node:http";
import { createCallFailure, buildNoRetryHeaders, type CallFailure } from "../call/call-failure.ts";
import type { ResolvedUpstream } from "./call-target.ts";
import { redactUpstreamMessage } from "./redact-message.ts";
import { toCallerErrorStatus } from "./upstream-status.ts";

/** What an upstream said of its error, as far as it could be read. */
export interface UpstreamReportedError {
  readonly message: string | undefined;
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly param?: string | undefined;
}

const noReportedError: UpstreamReportedError = {
  message: undefined,
  type: undefined,
  code: undefined,
  param: undefined,
};

/**
 * An error answer of an upstream as a failure of the call: the status is kept,
 * and so is the message, without secrets. But 401 and 403 become 403
 * `no_vendor_credential`, because a 401 would say that the caller's own key is bad, and errors of
 * the connection to the upstream become 502.
 */
export function createUpstreamErrorFailure(
  target: ResolvedUpstream,
  status: number,
  headers: IncomingHttpHeaders,
  body: string,
): CallFailure {
  const said = readError(parse(body));
  if (status === 401 || status === 403) return rejectedCredentialError(target, status, said);
  return gatewayError(target, status, said, readRetryAfter(headers["retry-after"]));
}

/** An error body with a status that says all is well: a bad gateway, whatever its type. */
export function createOkStatusErrorFailure(target: ResolvedUpstream, body: string): CallFailure {
  return gatewayError(target, 502, readError(parse(body)), undefined);
}

/** An error event before any other: the status that the upstream would have sent for its type. */
export function createErrorEventFailure(target: ResolvedUpstream, data: string): CallFailure {
  return createUpstreamStreamErrorFailure(target, readError(parse(data)));
}

/** An error that a codec has read from a stream, as the same failure. */
export function createUpstreamStreamErrorFailure(
  target: ResolvedUpstream,
  said: UpstreamReportedError,
): CallFailure {
  const status = statusOfType(`${said.type} ${said.code}`);
  if (status === 403) return rejectedCredentialError(target, status, said);
  return gatewayError(target, status, said, undefined);
}

function rejectedCredentialError(
  target: ResolvedUpstream,
  status: number,
  said: UpstreamReportedError,
): CallFailure {
  const words = said.message === undefined ? "" : ` It said: ${scrub(target, said.message)}`;
  return createCallFailure(
    "no_vendor_credential",
    `The upstream \`${target.name}\` refused its stored credential (${status}). ${target.remedy}${words}`,
  );
}

function gatewayError(
  target: ResolvedUpstream,
  status: number,
  said: UpstreamReportedError,
  retryAfter: string | undefined,
): CallFailure {
  const callerStatus = toCallerErrorStatus(status);
  return {
    status: callerStatus,
    code: said.code === undefined ? null : scrub(target, said.code),
    catalogueCode: undefined,
    message:
      said.message === undefined
        ? `The upstream \`${target.name}\` answered with status ${status}.`
        : scrub(target, said.message),
    type: said.type === undefined ? undefined : scrub(target, said.type),
    param: said.param === undefined ? null : scrub(target, said.param),
    byoUrl: undefined,
    retryAfter,
    headers: buildNoRetryHeaders(callerStatus),
  };
}

function scrub(target: ResolvedUpstream, text: string): string {
  return redactUpstreamMessage(text, target.secrets, target.origin);
}

/** Passed on when it is well formed: seconds or an HTTP date. */
function readRetryAfter(value: string | undefined): string | undefined {
  const isWellFormed =
    value !== undefined && /^(?:\d{1,9}|[A-Z][a-z]{2}, [\w :]{22,26})$/.test(value);
  return isWellFormed ? value : undefined;
}

/** Wrong fields of a list that are worth telling. */
const maxProblems = 5;

/** The status that an upstream would have sent with an error of this type. */
function statusOfType(type: string): number {
  if (/overloaded/.test(type)) return 529;
  if (/rate_limit/.test(type)) return 429;
  if (/authentication|permission|api_key/.test(type)) return 403;
  if (/timeout/.test(type)) return 504;
  if (/invalid|not_found/.test(type)) return 400;
  return 502;
}

/**
 * `{"error": {…}}`, `{"error": "…"}`, `{"message": "…"}`, the event of a stream, and
 * `{"detail": …}` in the forms of a framework that many upstreams are written in.
 */
function readError(body: unknown): UpstreamReportedError {
  const outer = record(body);
  if (outer === undefined) return noReportedError;
  const inner = record(outer["error"]);
  if (inner !== undefined) return parseReportedError(inner);
  const message = text(outer["error"]) ?? text(outer["message"]) ?? detailText(outer["detail"]);
  const said = parseReportedError(outer);
  return { ...said, message, type: said.type === "error" ? undefined : said.type };
}

/** A sentence, an object that holds one, or the list of the fields that are wrong. */
function detailText(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return text(detail) ?? messageIn(detail);
  const problems = detail.slice(0, maxProblems).map(problemText);
  return text(problems.filter((problem) => problem !== undefined).join("; "));
}

/** `body.messages.0.role: Field required` */
function problemText(problem: unknown): string | undefined {
  const message = text(record(problem)?.["msg"]) ?? messageIn(problem);
  const place = record(problem)?.["loc"];
  if (message === undefined || !Array.isArray(place)) return message;
  const steps = place.filter((step) => typeof step === "string" || typeof step === "number");
  return steps.length === 0 ? message : `${steps.join(".")}: ${message}`;
}

/** `{"message": "…"}`, `{"error": "…"}` or `{"error": {"message": "…"}}`, and nothing deeper. */
function messageIn(value: unknown): string | undefined {
  const object = record(value);
  const inner = record(object?.["error"]);
  return text(inner?.["message"]) ?? text(object?.["error"]) ?? text(object?.["message"]);
}

function parseReportedError(error: Readonly<Record<string, unknown>>): UpstreamReportedError {
  return {
    message: text(error["message"]),
    type: text(error["type"]),
    code: text(error["code"]) ?? text(record(error["details"])?.["error_code"]),
    param: text(error["param"]),
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
