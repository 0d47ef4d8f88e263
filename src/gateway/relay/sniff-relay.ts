import type { CallFailure } from "../call/call-failure.ts";
import { firstByteOf } from "./body-shape.ts";
import type { Receiver } from "./receiver.ts";

/**
 * Waits for the first byte that tells what an answer is, because some compatible
 * servers name no content type, or the wrong one.
 */
export class SniffRelay implements Receiver {
  readonly #choose: (first: number | undefined) => Receiver;
  readonly #held: Buffer[] = [];
  #chosen: Receiver | undefined;

  /** `choose` gets the first byte that is no white space; undefined when there is none. */
  constructor(choose: (first: number | undefined) => Receiver) {
    this.#choose = choose;
  }

  get isEmpty(): boolean {
    return this.#chosen?.isEmpty ?? this.#held.length === 0;
  }

  data(chunk: Buffer): boolean {
    if (this.#chosen !== undefined) return this.#chosen.data(chunk);
    this.#held.push(chunk);
    if (firstByteOf([chunk]) === undefined) return true;
    return this.#decide().data(Buffer.concat(this.#held));
  }

  end(): void {
    this.#decide().end();
  }

  broken(cause: CallFailure): void {
    this.#decide().broken(cause);
  }

  begin(): void {
    this.#chosen?.begin();
  }

  #decide(): Receiver {
    this.#chosen ??= this.#choose(firstByteOf(this.#held));
    return this.#chosen;
  }
}
