import type { Http2ServerRequest } from "node:http2";

/**
 * Makes of a repeated `authorization`, of which Node drops the second, what its
 * `joinDuplicateHeaders` makes of it over HTTP/1.1: one value with a comma and a
 * space, which no credential has. A second host is refused by the protocol itself.
 */
export function joinAuthorizationHeaders({ headers, rawHeaders }: Http2ServerRequest): void {
  if (headers.authorization === undefined) return;
  // Names and values stand in turn.
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1] === "authorization",
  );
  headers.authorization = values.join(", ");
}
