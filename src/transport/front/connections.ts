import type { Server as Http1Server } from "node:http";
import type { Http2Server, Http2Session } from "node:http2";
import type { Socket } from "node:net";
import {
  isolateConnectionErrors,
  rethrowListenerErrorsAsUncaught,
} from "../../platform/uncaught/guarded-connection.ts";
import type { InboundConnectionLimiter } from "./connection-limiter.ts";
import { detectHttpVersion } from "./detect-protocol.ts";

/** The open connections of one port: given to the server of their protocol, and known until they close. */
export class OpenConnections {
  readonly #open = new Set<Socket>();
  /** Nothing has arrived on these, so nothing is lost by closing them. */
  readonly #silent = new Set<Socket>();
  readonly #limiter: InboundConnectionLimiter;

  constructor(limiter: InboundConnectionLimiter) {
    this.#limiter = limiter;
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Puts our first look between the listening server and the handler of
   * connections that Node gave it; HTTP/2 ones go to `http2`. Whatever fails from
   * here on fails for its connection alone.
   */
  dispatchByProtocol(http1: Http1Server, http2: Http2Server, firstByteMs: number): void {
    const serveHttp1 = http1.listeners("connection");
    http1.removeAllListeners("connection");
    rethrowListenerErrorsAsUncaught(http1);
    rethrowListenerErrorsAsUncaught(http2);
    http1.on("connection", (socket: Socket) => {
      const runFor = isolateConnectionErrors(socket, "inbound");
      if (!this.#limiter.add(socket)) {
        socket.destroy();
        return;
      }
      this.#add(socket);
      detectHttpVersion(socket, firstByteMs, (protocol) => {
        this.#silent.delete(socket);
        runFor(() => {
          if (protocol === "http2") serveHttp2(http2, socket);
          else for (const listener of serveHttp1) listener.call(http1, socket);
        });
      });
    });
  }

  destroyIdleUnidentified(): void {
    for (const socket of this.#silent) socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #add(socket: Socket): void {
    this.#open.add(socket);
    this.#silent.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#silent.delete(socket);
    });
  }
}

/** How long a caller may keep a connection over HTTP/2 that we have ended. */
const endedMs = 1000;

/**
 * The listening server, which is one for HTTP/1.1, keeps our end of a connection
 * open when the caller closes its own. Nothing can come over HTTP/2 then, and
 * nobody would hear that the caller has left. For the caller's end behind ours Node
 * waits as long as the caller likes.
 */
function serveHttp2(server: Http2Server, socket: Socket): void {
  socket.allowHalfOpen = false;
  socket.once("finish", () => setTimeout(() => socket.destroy(), endedMs).unref());
  const note = (session: Http2Session): void => void sockets.set(session, socket);
  server.once("session", note);
  server.emit("connection", socket);
  server.off("session", note);
}

const sockets = new WeakMap<Http2Session, Socket>();

/** Returns the socket of a session, of which Node shows a stand-in only. Returns undefined if it is closed. */
export function findHttp2SessionSocket(session: Http2Session | undefined): Socket | undefined {
  return session && sockets.get(session);
}
