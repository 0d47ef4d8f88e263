import { ByteTail } from "../../platform/speed/byte-tail.ts";

/** Enough for what stands before the data of an embeddings answer. */
const headBytes = 8192;

/** The beginning and the end of a body that is too large to be held, as Latin-1 text. */
export class RelayedBodyHeadAndTail {
  readonly head: string;
  readonly #tail = new ByteTail();

  constructor(begun: Buffer) {
    this.head = begun.toString("latin1", 0, headBytes);
  }

  /** What has come, the first of it too. */
  push(chunk: Buffer): void {
    this.#tail.push(chunk);
  }

  get tail(): string {
    return this.#tail.toString();
  }
}
