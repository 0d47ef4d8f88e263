import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { findHttp2SessionSocket } from "./connections.ts";
import { limitHttp2ControlFrames } from "./control-frames.ts";
import type { HttpListenerLimits } from "./front-limits.ts";

/**
 * A cleartext HTTP/2 server that never listens: it is handed connections. The
 * limits that Node knows for HTTP/1.1 only are added here.
 */
export function createHttp2Server(limits: HttpListenerLimits): Http2Server {
  const settings = {
    maxConcurrentStreams: limits.maxStreams,
    maxHeaderListSize: limits.maxHeaderBytes,
  };
  const server = createServer({ settings });
  server.on("session", (session: ServerHttp2Session) => {
    closeWhenIdle(session, limits.keepAliveMs);
    limitHttp2ControlFrames(session, findHttp2SessionSocket, limits);
    session.on("stream", (stream: ServerHttp2Stream) => limitReceiving(stream, limits.requestMs));
  });
  return server;
}

/** Node's session timeout counts open streams as idle, and keeps a closed session until it has passed. */
function closeWhenIdle(session: ServerHttp2Session, keepAliveMs: number): void {
  let open = 0;
  const wait = (): NodeJS.Timeout => setTimeout(() => session.close(), keepAliveMs).unref();
  let timer = wait();
  session.on("stream", (stream: ServerHttp2Stream) => {
    open += 1;
    clearTimeout(timer);
    stream.once("close", () => {
      open -= 1;
      if (open === 0 && !session.closed && !session.destroyed) timer = wait();
    });
  });
  session.once("close", () => clearTimeout(timer));
}

/** Ends a stream whose request has not arrived whole in time, whatever has been answered so far. */
function limitReceiving(stream: ServerHttp2Stream, requestMs: number): void {
  if (stream.endAfterHeaders) return;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM), requestMs);
  timer.unref();
  stream.once("end", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
}
