import type { IncomingMessage } from "node:http";
import { WebSocketServer } from "ws";
import { serializeResponsesWebSocketError } from "../../dialect/responses/websocket-error.ts";
import { ApiError, type DialectErrorCode } from "../../platform/errors.ts";
import { toRateLimitNetwork } from "../../platform/rate-limit/address-limit.ts";
import type { WebSocketCloseReason } from "./websocket-connection.ts";
import {
  ResponsesWebSocketConnection,
  type ResponsesWebSocketConnectionDependencies,
  type WebSocketUpgradeContext,
} from "./responses-connection.ts";

/** What connections may do; times in milliseconds. */
export interface ResponsesWebSocketLimits {
  /** Connections that the keys of one account may have open in this process. */
  readonly accountConnections: number;
  /** Connections that one network address may have open in this process, for all accounts together. */
  readonly addressConnections: number;
  /** From its opening to its end, or that of the call that is under way then. */
  readonly lifetimeMs: number;
  /** From the first byte of a message to its last. */
  readonly messageMs: number;
  /** Between two pings, and two looks at the limits. */
  readonly everyMs: number;
}

export const defaultWebSocketLimits: ResponsesWebSocketLimits = {
  // A quarter of the connections that a port bears, as of the bodies that a process holds.
  accountConnections: 2500,
  addressConnections: 2500,
  lifetimeMs: 60 * 60 * 1000,
  messageMs: 120_000,
  everyMs: 15_000,
};

const draining: WebSocketCloseReason = { closeCode: 1001, reason: "The server is shutting down." };

/** The open connections of the WebSocket mode in this process. */
export class ResponsesWebSocketConnections {
  readonly #dependencies: ResponsesWebSocketConnectionDependencies;
  readonly #limits: ResponsesWebSocketLimits;
  readonly #server: WebSocketServer;
  readonly #open = new Set<ResponsesWebSocketConnection>();
  /** Connections by account and by network address. Includes connections that are about to open. */
  readonly #counts = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #isDraining = false;

  constructor(
    dependencies: ResponsesWebSocketConnectionDependencies,
    limits: ResponsesWebSocketLimits,
  ) {
    this.#dependencies = dependencies;
    this.#limits = limits;
    // Compression would hold a window for each connection and let a small frame become a large
    // message. Pings are answered by the connection, which looks whether they are read.
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      // Others are served between the messages of one packet, which may be thousands.
      allowSynchronousEvents: false,
      maxPayload: dependencies.pipeline.maxBodyBytes,
    });
    this.#timer = setInterval(() => this.#look(), limits.everyMs).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws 503 while the server stops. */
  assertAccepting(): void {
    if (!this.#isDraining) return;
    throw new ApiError("unavailable", "The server is shutting down; try again.", {
      retryAfterSeconds: 1,
    });
  }

  /**
   * Counts one more connection of an account at a network address. Call the returned function
   * once, when it closes or is not opened. Throws 429 if the account or the address has too many.
   */
  count(accountId: string, address: string): () => void {
    const { accountConnections, addressConnections } = this.#limits;
    const ofAccount = `account ${accountId}`;
    const ofAddress = `address ${toRateLimitNetwork(address)}`;
    if (this.#counted(ofAccount) >= accountConnections) {
      throw tooManyConnectionsError("The keys of this account have", accountConnections);
    }
    if (this.#counted(ofAddress) >= addressConnections) {
      throw tooManyConnectionsError("Your network address has", addressConnections);
    }
    for (const holder of [ofAccount, ofAddress]) {
      this.#counts.set(holder, this.#counted(holder) + 1);
    }
    return () => {
      this.#discount(ofAccount);
      this.#discount(ofAddress);
    };
  }

  /**
   * Answers a judged handshake with 101; `closed` is called once, whenever the connection ends.
   * `watch` calls back with the error of a credential that has ended.
   */
  open(
    upgrade: { readonly raw: IncomingMessage; readonly head: Buffer },
    request: WebSocketUpgradeContext,
    closed: () => void,
    watch: (refuse: (error: unknown) => void) => () => void,
  ): void {
    const { raw, head } = upgrade;
    const { socket } = raw;
    this.#server.handleUpgrade(raw, socket, head, (webSocket) => {
      const opened = new ResponsesWebSocketConnection(
        this.#dependencies,
        request,
        webSocket,
        socket,
      );
      this.#open.add(opened);
      const unwatch = watch((error) => opened.endCredential(error));
      webSocket.on("close", () => {
        unwatch();
        this.#open.delete(opened);
      });
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

  #counted(holder: string): number {
    return this.#counts.get(holder) ?? 0;
  }

  #discount(holder: string): void {
    const count = this.#counted(holder) - 1;
    if (count > 0) this.#counts.set(holder, count);
    else this.#counts.delete(holder);
  }

  #look(): void {
    const now = performance.now();
    for (const socket of this.#open) this.#checkOne(socket, now);
  }

  #checkOne(socket: ResponsesWebSocketConnection, now: number): void {
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

function tooManyConnectionsError(holder: string, max: number): ApiError {
  return new ApiError(
    "rate_limited",
    `${holder} ${max} WebSocket connections open at this server, the maximum. Close one, or send calls over one that is open.`,
    { retryAfterSeconds: 1 },
  );
}

/** As the vendor names it; its clients open another connection then. */
function endingOfAge(lifetimeMs: number): WebSocketCloseReason {
  const minutes = Math.round(lifetimeMs / 60_000);
  const error = {
    message: `This connection has been open for ${minutes} minutes; open another one.`,
    type: "invalid_request_error",
    param: null,
    code: "websocket_connection_limit_reached" satisfies DialectErrorCode,
  };
  return {
    closeCode: 1000,
    reason: "The connection has reached its age limit.",
    message: serializeResponsesWebSocketError(400, error),
  };
}
