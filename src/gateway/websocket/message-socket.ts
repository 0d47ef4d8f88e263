import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { ApiError } from "../../platform/errors.ts";
import type { ArrivingMessage } from "./arriving-message.ts";
import type { MessageSink } from "./socket-call.ts";
import { textFrames } from "./text-frames.ts";

/** Why a connection takes no more calls, and what its caller is told with its end. */
export interface SocketEnding {
  /** Of RFC 6455, 7.4. */
  readonly closeCode: number;
  readonly reason: string;
  /** A message before it; undefined: none. */
  readonly message?: string;
}

/** Who hears what comes over a connection. */
export interface MessageListener {
  heard(data: Buffer, isBinary: boolean): void;
  /** What has come of a message cannot be held, for this reason. */
  overflowed(error: unknown): void;
  closed(): void;
}

/** How long a caller who sends too much has to read why it is cut. */
const lingerMs = 500;

/** More than this is not kept for a caller who does not read what refuses it. */
const mostUnreadBytes = 1024 * 1024;

/** A connection as the messages that come and go over it, with what a caller may do to it bounded. */
export class MessageSocket implements MessageSink {
  readonly socket: Socket;
  readonly #webSocket: WebSocket;
  readonly #arriving: ArrivingMessage;
  readonly #listener: MessageListener;

  constructor(
    webSocket: WebSocket,
    socket: Socket,
    arriving: ArrivingMessage,
    listener: MessageListener,
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
    socket.write(textFrames(texts));
  }

  /** A caller who does not read would not see a farewell either. */
  cut(): void {
    if (this.socket.writableNeedDrain) this.#webSocket.terminate();
    else this.#webSocket.close(1011, "The answer broke off.");
  }

  /** Keeps what stands between from taking the connection for dead; a silent caller need not answer. */
  ping(): void {
    if (this.mayWrite()) this.#webSocket.ping();
  }

  /** Since when a message has been coming; undefined: none is. */
  get arrivingSince(): number | undefined {
    return this.#arriving.since;
  }

  /** False: the caller sends and does not read, and is cut. */
  mayWrite(): boolean {
    if (this.#webSocket.bufferedAmount <= mostUnreadBytes) return true;
    this.#webSocket.terminate();
    return false;
  }

  /** Ends it in the middle of a message, of which nothing more is read; what came of it is let go soon. */
  dropMessage(closeCode: number, reason: string): void {
    this.#webSocket.close(closeCode, reason);
    this.#webSocket.pause();
    setTimeout(() => this.#webSocket.terminate(), lingerMs).unref();
  }

  end({ closeCode, reason, message }: SocketEnding): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (message !== undefined) this.sendAll([Buffer.from(message)]);
    this.#webSocket.close(closeCode, reason);
  }

  #listen(): void {
    const webSocket = this.#webSocket;
    // Before the library reads them.
    this.socket.prependListener("data", (chunk: Buffer) => this.#arriving.add(chunk.length));
    webSocket.on("message", (data, isBinary) => this.#hear(data as Buffer, isBinary));
    webSocket.on("ping", (payload) => this.#answerPing(payload));
    webSocket.on("pong", (payload) => this.#arriving.leaveOut(payload));
    webSocket.on("close", () => this.#close());
    // The library has told the caller, and closes.
    webSocket.on("error", ignore);
  }

  #overflow(reason: ApiError): void {
    this.#listener.overflowed(reason);
    const isSlow = reason.status < 429;
    if (isSlow) this.dropMessage(1008, "The message arrived too slowly.");
    else this.dropMessage(1013, "The message cannot be held now.");
  }

  #hear(data: Buffer, isBinary: boolean): void {
    this.#arriving.end();
    this.#listener.heard(data, isBinary);
  }

  #answerPing(payload: Buffer): void {
    this.#arriving.leaveOut(payload);
    if (this.mayWrite()) this.#webSocket.pong(payload);
  }

  #close(): void {
    this.#arriving.end();
    this.#listener.closed();
  }
}

function ignore(): void {}
