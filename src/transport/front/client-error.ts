import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../platform/errors.ts";
import { newResourceId } from "../../platform/ids.ts";
import type { ErrorBodyRenderer } from "../rest/error.ts";
import { findInFlightHttpResponse } from "./current-response.ts";

/** How long a refused connection may go on sending before it is cut. */
const lingerMs = 500;

/** Connections that have their refusal: whatever else they send is read and thrown away. */
const refused = new WeakSet<Socket>();

/**
 * Answers a request that never became one: malformed HTTP, too many header
 * bytes, too slow. It is the `clientErrorHandler` of Fastify. The body is the
 * flat error body with a request id of ours. An answer that has already begun is
 * cut off instead, because bytes of ours in its middle would corrupt it.
 */
export function createClientErrorHandler(
  errorBody: ErrorBodyRenderer,
): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    if (refused.has(socket)) return;
    const refusal = refusalOf(error);
    if (
      refusal === undefined ||
      !socket.writable ||
      findInFlightHttpResponse(socket)?.headersSent === true
    ) {
      socket.destroy(error);
      return;
    }
    refused.add(socket);
    socket.end(serializeResponse(refusal, errorBody));
    cutAfterLinger(socket);
  };
}

function refusalOf(error: Error): ApiError | undefined {
  const code = "code" in error ? error.code : undefined;
  switch (code) {
    case "ECONNRESET":
    case "EPIPE":
      return undefined;
    case "HPE_HEADER_OVERFLOW":
      return new ApiError(
        "invalid_request",
        "The request headers are too large: send fewer or shorter ones.",
        {
          status: 431,
        },
      );
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ApiError(
        "request_too_large",
        "The chunk extensions of the request are too large: leave them out.",
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError(
        "invalid_request",
        "The request took too long to arrive: send it faster.",
        { status: 408 },
      );
    default:
      return new ApiError("invalid_request", "The request is not valid HTTP/1.1 and not HTTP/2.");
  }
}

function serializeResponse(refusal: ApiError, errorBody: ErrorBodyRenderer): string {
  const requestId = newResourceId("req");
  const body = JSON.stringify(errorBody(refusal, requestId));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Closing a socket with unread bytes resets it, and a reset can overtake the refusal. */
function cutAfterLinger(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
