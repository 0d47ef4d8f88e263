import type { Receiver } from "./receiver.ts";

/** More of an error than this is not read. */
const readBytesAtMost = 64 * 1024;

/**
 * Gathers a body that the caller hears of as an error, and tells it once: when it
 * ends, breaks off or grows too long. What follows is let go.
 */
export abstract class ErrorBody implements Receiver {
  /** An error without a body is an answer all the same. */
  readonly isEmpty = false;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #isTold = false;

  /** Called once with what came. */
  protected abstract tell(chunks: readonly Buffer[]): void;

  data(chunk: Buffer): boolean {
    if (this.#isTold) return true;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > readBytesAtMost) this.end();
    return true;
  }

  end(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.tell(this.#chunks);
  }

  broken(): void {
    this.end();
  }

  begin(): void {
    // The status is known: there is nothing to begin before it can be told.
  }
}
