import type { Socket } from "node:net";

/** The first three bytes of the HTTP/2 connection preface; no HTTP/1 method begins like this. */
const prefaceStart = "PRI";

export type HttpVersion = "http1" | "http2";

/**
 * Waits for the first bytes of a new connection, tells its protocol by them and
 * puts them back, so that whoever serves the socket next reads all of it. Calls
 * `serve` at most once, with no listener and no timer of ours left; a connection
 * that stays silent for `timeoutMs`, fails or ends before is destroyed.
 */
export function detectHttpVersion(
  socket: Socket,
  timeoutMs: number,
  serve: (protocol: HttpVersion) => void,
): void {
  const seen: Buffer[] = [];
  const giveUp = (): void => {
    socket.destroy();
  };
  const onReadable = (): void => {
    const protocol = readProtocol(socket, seen);
    if (protocol === undefined) return;
    socket
      .off("readable", onReadable)
      .off("end", giveUp)
      .off("error", giveUp)
      .off("timeout", giveUp);
    socket.setTimeout(0);
    socket.unshift(Buffer.concat(seen));
    serve(protocol);
  };
  socket.on("readable", onReadable).on("end", giveUp).on("error", giveUp).on("timeout", giveUp);
  socket.setTimeout(timeoutMs);
}

/** Adds what has arrived to `seen`; undefined while that is still both a preface and a `P` of `POST`. */
function readProtocol(socket: Socket, seen: Buffer[]): HttpVersion | undefined {
  const chunk: Buffer | null = socket.read();
  if (chunk === null) return undefined;
  seen.push(chunk);
  const start = Buffer.concat(seen).toString("latin1", 0, prefaceStart.length);
  if (start === prefaceStart) return "http2";
  return prefaceStart.startsWith(start) ? undefined : "http1";
}
