import type { ServerHttp2Stream } from "node:http2";

/** The response to a request whose body is not waited for any longer. */
export interface ConnectionClosingResponse {
  /** Read by Node over HTTP/1.1. */
  shouldKeepAlive?: boolean;
  /** Over HTTP/2. */
  readonly stream?: ServerHttp2Stream;
}

/** How long the caller has to read the answer before its stream is reset, in milliseconds. */
const lingerMs = 1000;

/**
 * Closes what a body arrives over when its answer has been sent: the connection of
 * HTTP/1.1, the stream of HTTP/2 (RFC 9113, 8.1). Call it before the answer begins.
 */
export function closeAfterResponse(response: ConnectionClosingResponse): void {
  const { stream } = response;
  if (stream === undefined) response.shouldKeepAlive = false;
  else stream.once("finish", () => closeHttp2StreamAfterLinger(stream));
}

/** Closes a stream of HTTP/2 whose answer has been written, when its caller has had time to read it. */
export function closeHttp2StreamAfterLinger(stream: ServerHttp2Stream): void {
  const timer = setTimeout(() => stream.close(), lingerMs).unref();
  stream.once("close", () => clearTimeout(timer));
}
