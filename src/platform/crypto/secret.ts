import { inspect } from "node:util";

/**
 * A value that must not be logged, printed or serialised. Every way of turning
 * it into text gives `[redacted]`; `reveal` is the one way to the value.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it where it is used, never to keep it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }

  [inspect.custom](): string {
    return "[redacted]";
  }
}
