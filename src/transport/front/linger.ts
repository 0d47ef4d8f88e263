import type { IncomingMessage, ServerResponse } from "node:http";

/** How long a connection that is to be closed may go on sending the body that nobody reads. */
const lingerMs = 30_000;

/** A sender that pauses for so long is cut off earlier. */
const silenceMs = 5000;

/**
 * Lets a caller read its answer although not all of its body was read. Node
 * closes such a connection at once when it is not to be kept; what the caller
 * then still sends makes the system reset it, and the reset overtakes the answer.
 * So our side is closed first, and what comes is thrown away until the body ends.
 */
export function lingerWhenUnread(request: IncomingMessage, response: ServerResponse): void {
  response.prependOnceListener("finish", () => {
    if (!request.complete) closeAfterBody(request);
  });
}

/** Node calls `destroySoon` to close a connection behind its last answer. */
function closeAfterBody(request: IncomingMessage): void {
  const { socket } = request;
  const closeAtOnce = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (request.complete) {
      closeAtOnce();
      return;
    }
    socket.end();
    request.once("end", () => socket.destroy()).resume();
    socket.setTimeout(silenceMs, () => socket.destroy());
    const limit = setTimeout(() => socket.destroy(), lingerMs);
    limit.unref();
    socket.once("close", () => clearTimeout(limit));
  };
}
