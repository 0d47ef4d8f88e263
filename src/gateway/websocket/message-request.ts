import type { IncomingHttpHeaders } from "node:http";
import type { HeldRequestBody } from "../../platform/body-memory-budget.ts";
import type { InboundCallRequest } from "../call/caller-connection.ts";

/** Stands for the request of a call whose body has come as a message, whole. */
export class WebSocketMessageRequest implements InboundCallRequest {
  readonly headers: IncomingHttpHeaders;
  readonly held: HeldRequestBody;
  /** Undefined once it was read. */
  #body: Buffer | undefined;
  #hear: ((chunk: Buffer) => void) | undefined;

  constructor(body: Buffer, held: HeldRequestBody) {
    this.headers = { "content-length": body.length.toString() };
    this.held = held;
    this.#body = body;
  }

  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  /** Whoever reads listens for data first. */
  on(event: "data" | "end", listener: (chunk: Buffer) => void): void {
    if (event === "data") this.#hear = listener;
    else {
      const body = this.#body ?? nothing;
      this.#body = undefined;
      this.#hear?.(body);
      listener(body);
    }
  }
}

const nothing = Buffer.alloc(0);
