import { stopText, type StoppingState } from "../../dialect/stop-text.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Link, Stage } from "../relay/stage.ts";

/**
 * Ends a turn before the first of these sequences, for an upstream that knows no stop
 * sequences; undefined where there is none.
 */
export function endAtStop(
  sequences: readonly string[],
): Link<readonly TurnEvent[], readonly TurnEvent[]> | undefined {
  return sequences.length === 0 ? undefined : (next) => new StopKeeper(sequences, next);
}

class StopKeeper implements Stage<readonly TurnEvent[]> {
  readonly #machine: ReturnType<typeof stopText>;
  readonly #state: StoppingState;
  readonly #next: Stage<readonly TurnEvent[]>;

  constructor(sequences: readonly string[], next: Stage<readonly TurnEvent[]>) {
    this.#machine = stopText(sequences);
    this.#state = this.#machine.start();
    this.#next = next;
  }

  get #isOver(): boolean {
    return this.#state.met !== undefined;
  }

  push(events: readonly TurnEvent[]): boolean {
    if (this.#isOver) return true;
    const told = this.#machine.step(this.#state, events);
    const mayGoOn = told.length === 0 || this.#next.push(told);
    if (this.#isOver) this.#next.finish();
    return mayGoOn;
  }

  finish(): void {
    if (!this.#isOver) this.#next.finish();
  }

  fail(cause: CallFailure): void {
    if (!this.#isOver) this.#next.fail(cause);
  }
}
