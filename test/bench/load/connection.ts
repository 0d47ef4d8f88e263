import { connect, type Socket } from "node:net";
import { MessageReader } from "../wire/message-reader.ts";

/** Called with each piece of an answer's body; valid during the call only. */
export type BodyListener = (bytes: Buffer) => void;

interface Exchange {
  readonly onBody: BodyListener | undefined;
  readonly resolve: (bodyBytes: number) => void;
  readonly reject: (error: Error) => void;
}

/** One keep-alive connection of the load client, with one call at a time. */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #status = "";
  #bodyBytes = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends a whole request and resolves with the size of the answer's body.
   * Rejects unless the answer is a complete 200; the next call reconnects.
   */
  call(request: Buffer, onBody?: BodyListener): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#exchange = { onBody, resolve, reject };
      this.#bodyBytes = 0;
      this.#socket ??= this.#open();
      this.#socket.write(request);
    });
  }

  /** Leaves at once; a call under way rejects. */
  destroy(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    const reader = this.#newReader();
    socket.on("data", (bytes) => reader.push(bytes));
    socket.on("error", (error) => this.#fail(socket, error));
    socket.on("close", () => this.#fail(socket, new Error("connection closed")));
    return socket;
  }

  #newReader(): MessageReader {
    return new MessageReader({
      onHead: (startLine) => {
        this.#status = startLine.slice("HTTP/1.1 ".length);
      },
      onBody: (bytes) => {
        this.#bodyBytes += bytes.length;
        this.#exchange?.onBody?.(bytes);
      },
      onEnd: () => this.#end(),
    });
  }

  #end(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (this.#status.startsWith("200")) exchange?.resolve(this.#bodyBytes);
    else exchange?.reject(new Error(`status ${this.#status}`));
  }

  #fail(socket: Socket, error: Error): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    socket.destroy();
    this.#exchange?.reject(error);
    this.#exchange = undefined;
  }
}
