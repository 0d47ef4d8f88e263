import type { IncomingMessage } from "node:http";
import { WebSocketServer } from "ws";
import { printSocketError } from "../../dialect/responses/socket-error.ts";
import { ApiError } from "../../platform/errors.ts";
import type { SocketEnding } from "./message-socket.ts";
import {
  ResponseSocket,
  type ResponseSocketDependencies,
  type SocketRequest,
} from "./response-socket.ts";

/** What one connection may do; times in milliseconds. */
export interface SocketLimits {
  /** From its opening to its end, or that of the call that is under way then. */
  readonly lifetimeMs: number;
  /** From the first byte of a message to its last. */
  readonly messageMs: number;
  /** Between two pings, and two looks at the limits. */
  readonly everyMs: number;
}

export const defaultSocketLimits: SocketLimits = {
  lifetimeMs: 60 * 60 * 1000,
  messageMs: 120_000,
  everyMs: 15_000,
};

const draining: SocketEnding = { closeCode: 1001, reason: "The server is shutting down." };

/** The open connections of the WebSocket mode in this process. */
export class ResponseSockets {
  readonly #dependencies: ResponseSocketDependencies;
  readonly #limits: SocketLimits;
  readonly #server: WebSocketServer;
  readonly #open = new Set<ResponseSocket>();
  readonly #timer: NodeJS.Timeout;
  #isDraining = false;

  constructor(dependencies: ResponseSocketDependencies, limits: SocketLimits) {
    this.#dependencies = dependencies;
    this.#limits = limits;
    // Compression would hold a window for each connection and let a small frame become a large
    // message. Pings are answered by the connection, which looks whether they are read.
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: dependencies.journey.maxBodyBytes,
    });
    this.#timer = setInterval(() => this.#look(), limits.everyMs).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws 503 while the server stops. */
  assertTaking(): void {
    if (!this.#isDraining) return;
    throw new ApiError("unavailable", "The server is shutting down; try again.", {
      retryAfterSeconds: 1,
    });
  }

  /** Answers a judged handshake with 101; `closed` is called once, whenever the connection ends. */
  open(
    upgrade: { readonly raw: IncomingMessage; readonly head: Buffer },
    request: SocketRequest,
    closed: () => void,
  ): void {
    const { raw, head } = upgrade;
    const { socket } = raw;
    this.#server.handleUpgrade(raw, socket, head, (webSocket) => {
      const opened = new ResponseSocket(this.#dependencies, request, webSocket, socket);
      this.#open.add(opened);
      webSocket.on("close", () => this.#open.delete(opened));
      if (this.#isDraining) opened.endWith(draining);
    });
    if (socket.destroyed) closed();
    else socket.once("close", closed);
  }

  /** Ends every connection behind the call that is under way on it. */
  drain(): void {
    this.#isDraining = true;
    for (const socket of this.#open) socket.endWith(draining);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const socket of this.#open) this.#lookAt(socket, now);
  }

  #lookAt(socket: ResponseSocket, now: number): void {
    const { lifetimeMs, messageMs } = this.#limits;
    const { messages } = socket;
    if (now - (messages.arrivingSince ?? now) > messageMs) {
      messages.dropMessage(1008, "The message took too long to arrive.");
      return;
    }
    if (now - socket.openedAt > lifetimeMs) socket.endWith(endingOfAge(lifetimeMs));
    messages.ping();
  }
}

/** As the vendor names it; its clients open another connection then. */
function endingOfAge(lifetimeMs: number): SocketEnding {
  const minutes = Math.round(lifetimeMs / 60_000);
  const error = {
    message: `This connection has been open for ${minutes} minutes; open another one.`,
    type: "invalid_request_error",
    param: null,
    code: "websocket_connection_limit_reached",
  };
  return {
    closeCode: 1000,
    reason: "The connection has reached its age limit.",
    message: printSocketError(400, error),
  };
}
