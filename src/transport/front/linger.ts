import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How long a connection that is to be closed may go on sending the body that nobody reads. */
const lingerMs = 30_000;

/** A sender that pauses for so long is cut off earlier. */
const silenceMs = 5000;

/**
 * Lets a caller read its answer although not all of its body was read. Node
 * closes such a connection at once when it is not to be kept; what the caller
 * then still sends makes the system reset it, and the reset overtakes the answer.
 * So our side is closed first, and what comes is thrown away until the body ends.
 * On a connection that is kept, the next request stands behind the body.
 */
export function lingerWhenUnread(request: IncomingMessage, response: ServerResponse): void {
  // Who gives up reading by ending an iteration takes the socket from the request.
  const { socket } = request;
  response.prependListener("finish", () => {
    if (!request.complete) closeAfterBody(request, socket);
  });
}

/** Node calls `destroySoon` to close a connection behind its last answer. */
function closeAfterBody(request: IncomingMessage, socket: Socket): void {
  const closeAtOnce = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (request.complete) {
      closeAtOnce();
      return;
    }
    socket.end();
    request.once("end", () => socket.destroy());
    socket.setTimeout(silenceMs, () => socket.destroy());
    const limit = setTimeout(() => socket.destroy(), lingerMs);
    limit.unref();
    socket.once("close", () => clearTimeout(limit));
  };
  // Whoever waits for the next piece of the body would keep it from flowing; to take nobody away stops it.
  if (request.listenerCount("readable") > 0) request.removeAllListeners("readable");
  request.resume();
}
