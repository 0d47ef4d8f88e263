import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";
import { closeHttp2StreamAfterLinger } from "../../platform/close-behind-answer.ts";
import { parseContentLength } from "../../platform/declared-length.ts";

/** How long a connection may go on sending a body of a declared length that nobody reads. */
const lingerMs = 30_000;

/** A sender that pauses for so long is cut off earlier. */
const silenceMs = 5000;

/** Bytes that are read of an unread body after the answer. The sender of more has to stop. */
const maxDiscardedBytes = 64 * 1024 * 1024;

/**
 * Lets a caller read its answer although not all of its body was read. Node
 * closes such a connection at once when it is not to be kept; what the caller
 * then still sends makes the system reset it, and the reset overtakes the answer.
 * So our side is closed first, and what comes is thrown away until the body ends.
 * On a connection that is kept, the next request stands behind the body. In both cases the
 * connection is closed after 30 seconds, or `undeclaredMs` for a body without a declared length,
 * which may have no end.
 */
export function lingerOnUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
  undeclaredMs: number,
): void {
  // Who gives up reading by ending an iteration takes the socket from the request.
  const { socket } = request;
  response.prependListener("finish", () => {
    if (request.complete) return;
    closeAfterBody(request, socket);
    discardBody(request, socket, undeclaredMs);
  });
}

/** Node calls `destroySoon` to close a connection behind its last answer. */
function closeAfterBody(request: IncomingMessage, socket: Socket): void {
  const closeAtOnce = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    socket.end();
    request.once("end", () => socket.destroy());
    socket.setTimeout(silenceMs, () => socket.destroy());
  };
  // A connection that is kept serves any number of such requests.
  request.once("end", () => (socket.destroySoon = closeAtOnce));
}

function discardBody(request: IncomingMessage, socket: Socket, undeclaredMs: number): void {
  const isDeclared = parseContentLength(request.headers["content-length"]) !== undefined;
  const limit = setTimeout(() => socket.destroy(), isDeclared ? lingerMs : undeclaredMs);
  limit.unref();
  const stop = (): void => {
    clearTimeout(limit);
    socket.off("close", stop);
  };
  request.once("end", stop);
  socket.once("close", stop);
  // Whoever waits for the next piece of the body would keep it from flowing; to take nobody away stops it.
  if (request.listenerCount("readable") > 0) request.removeAllListeners("readable");
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDiscardedBytes) request.pause();
  });
  request.resume();
}

/**
 * Closes a stream of HTTP/2 soon after its answer if not all of its body was read. It is half
 * open then, and would stay so until the caller closes it. The caller reads the answer while it sends.
 */
export function closeHttp2StreamIfBodyUnread(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): void {
  response.stream.once("finish", () => {
    if (!request.complete) closeHttp2StreamAfterLinger(response.stream);
  });
}
