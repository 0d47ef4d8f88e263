import { invalidRequestError, type ApiError } from "../errors.ts";

/** Extra request headers by name, spelled as the caller spelled them. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** What a caller key sees in place of a header value, and what leaves a stored one as it is. */
export const redactedHeaderValue = "[redacted]";

const maxCount = 20;
const maxValueBytes = 4096;
const maxNameLength = 256;
const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valuePattern = /^[\t\x20-\x7e]*$/;

/** Names that frame, authenticate or forward a request, or open a metadata service. */
const reservedNames = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "metadata",
  "metadata-flavor",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  "x-api-key",
  "x-aws-ec2-metadata-token",
  "x-aws-ec2-metadata-token-ttl-seconds",
  "x-google-metadata-request",
  "x-real-ip",
]);
const reservedPrefix = /^(?:proxy-|x-forwarded-)/;

/**
 * Names that carry a credential. They are the caller's where the server has no
 * credential of its own to send, on requests to an MCP server for instance.
 */
export const credentialHeaderNames: ReadonlySet<string> = new Set(["authorization", "x-api-key"]);

const nothing: ReadonlySet<string> = new Set();

/**
 * Checks headers that a caller wants on every request to an endpoint of its own. `released`
 * are reserved names, in lower case, that may be set all the same. Throws 400 with
 * `<field>.<name>` as `param`.
 */
export function assertExtraHeaders(
  headers: ExtraHeaders,
  field: string,
  released: ReadonlySet<string> = nothing,
): void {
  const names = Object.keys(headers);
  if (names.length > maxCount) {
    throw invalidRequestError(field, `\`${field}\` may hold at most ${maxCount} headers.`);
  }
  const seen = new Set<string>();
  for (const name of names) {
    const problem = nameProblem(name, seen, released) ?? valueProblem(headers[name] ?? "");
    if (problem !== undefined) throw refusal(field, name, problem);
    seen.add(name.toLowerCase());
  }
}

/**
 * The headers that a PATCH asks for: the value `[redacted]` stands for the
 * stored one. Throws 400 for a placeholder that nothing is stored for.
 */
export function restoreRedactedHeaders(
  headers: ExtraHeaders,
  stored: ExtraHeaders,
  field: string,
): ExtraHeaders {
  const storedByName = new Map(
    Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return mapHeaders(headers, (value, name) => {
    if (value !== redactedHeaderValue) return value;
    const kept = storedByName.get(name.toLowerCase());
    if (kept !== undefined) return kept;
    throw refusal(field, name, "has no stored value that the placeholder could keep");
  });
}

/** The headers with every value replaced by the placeholder. */
export function redactAllHeaderValues(headers: ExtraHeaders): ExtraHeaders {
  return mapHeaders(headers, () => redactedHeaderValue);
}

/** The headers under lower-case names, as they are merged into a request. */
export function lowerCaseHeaders(headers: ExtraHeaders): ExtraHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function mapHeaders(
  headers: ExtraHeaders,
  change: (value: string, name: string) => string,
): ExtraHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, change(value, name)]),
  );
}

function nameProblem(
  name: string,
  seen: ReadonlySet<string>,
  released: ReadonlySet<string>,
): string | undefined {
  const lower = name.toLowerCase();
  if (!namePattern.test(name) || name.length > maxNameLength) return "is not a header name";
  const isReserved = reservedNames.has(lower) || reservedPrefix.test(lower);
  if (isReserved && !released.has(lower)) return "is set by the server itself";
  return seen.has(lower) ? "is there twice" : undefined;
}

function valueProblem(value: string): string | undefined {
  if (value.length > maxValueBytes) return `is longer than ${maxValueBytes} bytes`;
  return valuePattern.test(value) ? undefined : "must be printable ASCII";
}

function refusal(field: string, name: string, problem: string): ApiError {
  return invalidRequestError(`${field}.${name}`, `The header \`${name}\` ${problem}.`);
}
