import type { IncomingMessage } from "node:http";

/** The query of a request's address with its question mark; empty: it has none. */
export function rawQueryString({ url = "" }: Pick<IncomingMessage, "url">): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
}
