import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { HttpListenerLimits } from "./front-limits.ts";

type ControlFrameLimits = Pick<
  HttpListenerLimits,
  "checkMs" | "maxHeaderBytes" | "maxControlBytesPerSecond"
>;

/**
 * Closes an HTTP/2 connection that sends little but frames without headers and bodies, with
 * ENHANCE_YOUR_CALM. Node shows no WINDOW_UPDATE, so all bytes are counted that arrive at the
 * socket; a stream accounts for as many as its headers may have, and for its body.
 */
export function limitHttp2ControlFrames(
  session: ServerHttp2Session,
  socketOf: (session: ServerHttp2Session) => Socket | undefined,
  { checkMs, maxHeaderBytes, maxControlBytesPerSecond }: ControlFrameLimits,
): void {
  let controlBytes = 0;
  let accountedBytes = 0;
  let [readBytes, lookedAt] = [0, performance.now()];
  // Before the listener that serves the stream, and perhaps reads of its body.
  session.prependListener("stream", (stream: ServerHttp2Stream) => {
    // The body bytes that came in the packet of the headers are buffered already.
    accountedBytes += maxHeaderBytes + stream.readableLength;
    countPushed(stream, (bytes) => (accountedBytes += bytes));
  });
  const timer = setInterval(() => {
    const socket = socketOf(session);
    if (socket === undefined) return;
    const now = performance.now();
    controlBytes += Math.max(0, socket.bytesRead - readBytes - accountedBytes);
    const expected = maxControlBytesPerSecond * ((now - lookedAt) / 1000);
    [readBytes, accountedBytes, lookedAt] = [socket.bytesRead, 0, now];
    controlBytes = Math.max(0, controlBytes - expected);
    if (controlBytes > maxControlBytesPerSecond) endSession(session, socket);
  }, checkMs).unref();
  session.once("close", () => clearInterval(timer));
}

/** Node pushes each piece of a body in the turn in which it was read from the socket. */
function countPushed(stream: ServerHttp2Stream, count: (bytes: number) => void): void {
  const push = stream.push.bind(stream);
  stream.push = (chunk: Buffer | null) => {
    count(chunk?.length ?? 0);
    return push(chunk);
  };
}

/** The session would read on until its streams are over, and the socket until all is written. */
function endSession(session: ServerHttp2Session, socket: Socket): void {
  session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  setImmediate(() => {
    session.destroy();
    socket.destroy();
  });
}
