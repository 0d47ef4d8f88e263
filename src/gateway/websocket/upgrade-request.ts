import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { responsesDialectOperation } from "../../dialect/responses/index.ts";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";

export const responsesWebSocketPath = `/v1${responsesDialectOperation.path}`;

/** Whether a request asks for the WebSocket mode of the responses dialect; any other upgrade is ignored. */
export function isResponsesWebSocketUpgrade({
  method,
  url = "",
  headers,
}: IncomingMessage): boolean {
  const [path] = url.split("?", 1);
  const isUpgrade = names(headers.connection, "upgrade") && names(headers.upgrade, "websocket");
  return method === "GET" && path === responsesWebSocketPath && isUpgrade;
}

/** Whether a header that lists words holds one of them, in whatever letters. */
function names(list: string | undefined, word: string): boolean {
  const words = list?.toLowerCase().split(",") ?? [];
  return words.some((listed) => listed.trim() === word);
}

/** Sixteen bytes in base64 (RFC 6455, 4.1). */
const nonce = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Throws 403 for a page of an origin that may not call, 426 for another version of the
 * protocol and 400 for a handshake that is none (RFC 6455, 4.2).
 */
export function assertValidHandshake(
  { headers }: Pick<IncomingMessage, "headers">,
  origins: readonly string[],
): void {
  const { origin } = headers;
  if (origin !== undefined && !origins.includes(origin)) throw foreignOrigin();
  if (headers["sec-websocket-version"] !== "13") throw otherVersion();
  // A proxy would forward as a body what is read here as frames.
  if ((headers["content-length"] ?? "0") !== "0") throw bodyError("content-length");
  for (const name of ["transfer-encoding", "expect"] as const) {
    if (headers[name] !== undefined) throw bodyError(name);
  }
  if (nonce.test(headers["sec-websocket-key"] ?? "")) return;
  throw invalidRequestError("sec-websocket-key", "`sec-websocket-key` must be 16 bytes in base64.");
}

function bodyError(name: string): ApiError {
  return invalidRequestError(name, `An upgrade to WebSocket has no body: leave \`${name}\` out.`);
}

function foreignOrigin(): ApiError {
  return new ApiError(
    "insufficient_scope",
    "Pages of this `origin` may not call; name it in `cors.origins`, or send no `origin`.",
    { param: "origin" },
  );
}

function otherVersion(): ApiError {
  return new ApiError("invalid_request", "Only version 13 of the WebSocket protocol is spoken.", {
    param: "sec-websocket-version",
    status: 426,
    headers: { "sec-websocket-version": "13", upgrade: "websocket" },
  });
}

/** What the headers of an upgrade say of the calls that come over the connection. */
export function selectUpgradeCallHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const told = Object.entries(headers).filter(([name]) => !isOfConnection(name));
  return Object.fromEntries(told);
}

function isOfConnection(name: string): boolean {
  return ofConnection.has(name) || name.startsWith("sec-websocket-");
}

/** The bodies come as messages; `openai-beta` names the mode itself, which no upstream is asked for. */
const ofConnection = new Set([
  "connection",
  "upgrade",
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "accept",
  "openai-beta",
]);
