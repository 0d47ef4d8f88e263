import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { ApiError } from "../../platform/errors.ts";
import type { HeldRequestBody } from "../../platform/body-memory-budget.ts";
import type { WebSocketMessageMemoryTracker } from "./partial-message.ts";
import type { WebSocketMessageSender } from "./websocket-call.ts";
import { encodeWebSocketTextFrames } from "./text-frames.ts";

/** Why a connection takes no more calls, and what its caller is told with its end. */
export interface WebSocketCloseReason {
  /** Of RFC 6455, 7.4. */
  readonly closeCode: number;
  readonly reason: string;
  /** A message before it; undefined: none. */
  readonly message?: string;
}

/** Who hears what comes over a connection. */
export interface WebSocketConnectionHandler {
  /** `held` counts the message. The listener releases it. */
  onMessage(data: Buffer, isBinary: boolean, held: HeldRequestBody): void;
  /** What has come of a message cannot be held, for this reason. */
  onOverflow(error: unknown): void;
  onClose(): void;
}

/** How long a caller who sends too much has to read why it is cut. */
const lingerMs = 500;

/** Callers and proxies ping every few seconds; who pings more often than this is cut. */
const maxPingsPerWindow = 1000;
const pingWindowMs = 10_000;

/** A caller whose calls follow one another sees few refusals; each makes an error with its stack. */
const maxRefusalsPerWindow = 50;
const refusalWindowMs = 1000;

/** More than this is not kept for a caller who does not read what refuses it. */
const maxUnreadBytes = 1024 * 1024;

/** A connection as the messages that come and go over it, with what a caller may do to it bounded. */
export class WebSocketConnection implements WebSocketMessageSender {
  readonly socket: Socket;
  readonly #webSocket: WebSocket;
  readonly #arriving: WebSocketMessageMemoryTracker;
  readonly #listener: WebSocketConnectionHandler;
  /** Payload of the last ping, until its answer is sent. */
  #pong: Buffer | undefined;
  #pings = 0;
  #pingsSince = 0;
  #refusals = 0;
  #refusalsSince = 0;

  constructor(
    webSocket: WebSocket,
    socket: Socket,
    arriving: WebSocketMessageMemoryTracker,
    listener: WebSocketConnectionHandler,
  ) {
    this.#webSocket = webSocket;
    this.socket = socket;
    this.#arriving = arriving;
    this.#listener = listener;
    arriving.onEnd = (reason) => this.#overflow(reason);
    this.#listen();
  }

  /** Past the library, which would write each message twice; what comes in one turn goes out together. */
  sendAll(texts: readonly Buffer[]): void {
    const { socket } = this;
    if (texts.length === 0 || this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(encodeWebSocketTextFrames(texts));
  }

  /** Calls `done` once all that was sent before is out, or the connection has broken. */
  whenSent(done: () => void): void {
    if (this.socket.writable) this.socket.write(nothing, () => done());
    else process.nextTick(done);
  }

  /** A caller who does not read would not see a farewell either. */
  cut(): void {
    if (this.socket.writableNeedDrain) this.#webSocket.terminate();
    else this.#webSocket.close(1011, "The answer broke off.");
  }

  /** Keeps what stands between from taking the connection for dead; a silent caller need not answer. */
  ping(): void {
    if (this.canWrite()) this.#webSocket.ping();
  }

  /** Since when a message has been coming; undefined: none is. */
  get arrivingSince(): number | undefined {
    return this.#arriving.since;
  }

  /** False: the caller sends and does not read, and is cut. */
  canWrite(): boolean {
    if (this.#webSocket.bufferedAmount <= maxUnreadBytes) return true;
    this.#webSocket.terminate();
    return false;
  }

  /** Counts one more refusal. Returns false if the caller has had too many or does not read them: it ends. */
  canRefuse(): boolean {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN || !this.canWrite()) return false;
    const now = performance.now();
    if (now - this.#refusalsSince > refusalWindowMs) {
      this.#refusalsSince = now;
      this.#refusals = 0;
    }
    this.#refusals += 1;
    if (this.#refusals <= maxRefusalsPerWindow) return true;
    this.dropMessage(1008, "Too many messages were refused.");
    return false;
  }

  /** Ends it in the middle of a message, of which nothing more is read; what came of it is let go soon. */
  dropMessage(closeCode: number, reason: string): void {
    this.#webSocket.close(closeCode, reason);
    this.#webSocket.pause();
    setTimeout(() => this.#webSocket.terminate(), lingerMs).unref();
  }

  /** Takes no further message, and drops what has arrived of one. */
  stopTaking(): void {
    this.#arriving.end();
    this.#webSocket.pause();
  }

  end({ closeCode, reason, message }: WebSocketCloseReason): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (message !== undefined) this.sendAll([Buffer.from(message)]);
    this.#webSocket.close(closeCode, reason);
    // Behind a message that was dropped, no answer to the close can be read.
    if (this.#webSocket.isPaused) setTimeout(() => this.#webSocket.terminate(), lingerMs).unref();
  }

  #listen(): void {
    const webSocket = this.#webSocket;
    // Before the library reads them.
    this.socket.prependListener("data", (chunk: Buffer) => this.#arriving.add(chunk));
    webSocket.on("message", (data, isBinary) => this.#onMessage(data as Buffer, isBinary));
    webSocket.on("ping", (payload) => this.#answerPing(payload));
    webSocket.on("close", () => this.#close());
    // The library tells the caller, closes, and discards what still arrives.
    webSocket.on("error", () => this.#arriving.end());
  }

  #overflow(reason: ApiError): void {
    this.#listener.onOverflow(reason);
    const isSlow = reason.status < 429;
    if (isSlow) this.dropMessage(1008, "The message arrived too slowly.");
    else this.dropMessage(1013, "The message cannot be held now.");
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    const held = this.#arriving.take();
    if (held === undefined) return;
    if (this.#webSocket.readyState === this.#webSocket.OPEN) {
      this.#listener.onMessage(data, isBinary, held);
    } else held.release();
  }

  /** Answers the last of the pings that come at once (RFC 6455, 5.5.3), and ends a flood of them. */
  #answerPing(payload: Buffer): void {
    const now = performance.now();
    if (now - this.#pingsSince > pingWindowMs) {
      this.#pingsSince = now;
      this.#pings = 0;
    }
    this.#pings += 1;
    if (this.#pings > maxPingsPerWindow) {
      this.#webSocket.terminate();
      return;
    }
    if (this.#pong === undefined) setImmediate(() => this.#sendPong());
    this.#pong = payload;
  }

  #sendPong(): void {
    const payload = this.#pong;
    this.#pong = undefined;
    if (payload !== undefined && this.canWrite()) this.#webSocket.pong(payload);
  }

  #close(): void {
    this.#arriving.end();
    this.#listener.onClose();
  }
}

const nothing = Buffer.alloc(0);
