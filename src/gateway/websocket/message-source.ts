import type { IncomingHttpHeaders } from "node:http";
import type { CallSource } from "../call/caller-connection.ts";

/** Stands for the request of a call whose body has come as a message, whole. */
export class MessageSource implements CallSource {
  readonly headers: IncomingHttpHeaders;
  readonly #body: Buffer;
  #hear: ((chunk: Buffer) => void) | undefined;

  constructor(body: Buffer) {
    this.headers = { "content-length": body.length.toString() };
    this.#body = body;
  }

  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  /** Whoever reads listens for data first. */
  on(event: "data" | "end", listener: (chunk: Buffer) => void): void {
    if (event === "data") this.#hear = listener;
    else {
      this.#hear?.(this.#body);
      listener(this.#body);
    }
  }
}
