import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import { newResourceId } from "../../platform/ids.ts";
import type { ErrorBodyRenderer } from "../rest/error.ts";

/**
 * The refusals that Node would give with an empty body before any handler sees
 * the request. Undefined: the request may go on.
 */
export function findHostHeaderError({
  headers,
  httpVersion,
}: IncomingMessage): ApiError | undefined {
  const { host } = headers;
  if (host === undefined) {
    if (httpVersion !== "1.1") return undefined;
    return invalidRequestError(
      "host",
      "The request has no `host` header, which HTTP/1.1 requires.",
    );
  }
  if (authority.test(host)) return undefined;
  return invalidRequestError(
    "host",
    "The request must have one `host`: a name or address, and a port.",
  );
}

/** A host, and a port where it has one (RFC 3986, 3.2); two headers are joined with a comma and a space. */
const authority = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;

/**
 * Refuses a transfer coding other than `chunked` (RFC 9112, 6.1). Node takes the others off no
 * body, which would be read as it was coded.
 */
export function findTransferCodingError({ headers }: IncomingMessage): ApiError | undefined {
  const coding = headers["transfer-encoding"];
  if (coding === undefined || coding.trim().toLowerCase() === "chunked") return undefined;
  const message = "The transfer coding is not known: send the body `chunked` or with its length.";
  return new ApiError("invalid_request", message, { param: "transfer-encoding", status: 501 });
}

/** An `Expect` header other than `100-continue` (RFC 9110, 10.1.1). */
export function unsupportedExpectationError(): ApiError {
  const message = "The expectation cannot be met: send `Expect: 100-continue` or no such header.";
  return new ApiError("invalid_request", message, { param: "expect", status: 417 });
}

/** Answers with the flat error body and ends the HTTP/1.1 connection. */
export function sendHttpErrorAndClose(
  response: ServerResponse | Http2ServerResponse,
  refusal: ApiError,
  errorBody: ErrorBodyRenderer,
): void {
  const requestId = newResourceId("req");
  response.statusCode = refusal.status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("x-request-id", requestId);
  if (response.req.httpVersionMajor === 1) response.setHeader("connection", "close");
  response.end(JSON.stringify(errorBody(refusal, requestId)));
}
