import type { MemoryReleaser } from "../platform/hold-memory.ts";
import type { TurnMemoryCapacity } from "./turn-queue.ts";

/** One account may fill a quarter of the whole. */
const shares = 4;

/** The sealed contents of the turns that a process runs, or is about to store and run, and what their threads hold. */
export class TurnMemoryBudget {
  readonly #mostBytes: number;
  #bytes = 0;
  #turns = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get free(): TurnMemoryCapacity {
    const bytes = Math.max(0, this.#mostBytes - this.#bytes);
    return { bytes, accountBytes: this.#accountBytes, isIdle: this.#turns === 0 };
  }

  /**
   * Takes room for one turn, which is all that may be taken in its place; undefined when the
   * memory is full. The first turn has room whatever its size. `release` it.
   */
  reserve(bytes: number): TurnMemoryCapacity | undefined {
    if (this.#turns > 0 && bytes > this.#mostBytes - this.#bytes) return undefined;
    this.add(bytes);
    return { bytes, accountBytes: this.#accountBytes, isIdle: false };
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.#turns += 1;
  }

  /** Counts what a running turn holds besides its sealed content, until it is given back. */
  hold(bytes: number): MemoryReleaser {
    let held = bytes;
    this.#bytes += held;
    return () => {
      this.#bytes -= held;
      held = 0;
    };
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
    this.#turns -= 1;
  }

  get #accountBytes(): number {
    return this.#mostBytes / shares;
  }
}
