import type { Stage } from "./stage.ts";

/** More of an error than this is not read. */
const readBytesAtMost = 64 * 1024;

/**
 * Gathers a body that the caller hears of as an error, and tells it once: when it
 * ends, breaks off or grows too long. What follows is let go.
 */
export abstract class ErrorBody implements Stage<Buffer> {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #isTold = false;

  /** Called once with what came. */
  protected abstract tell(chunks: readonly Buffer[]): void;

  push(chunk: Buffer): boolean {
    if (this.#isTold) return true;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > readBytesAtMost) this.finish();
    return true;
  }

  finish(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.tell(this.#chunks);
  }

  fail(): void {
    this.finish();
  }
}
