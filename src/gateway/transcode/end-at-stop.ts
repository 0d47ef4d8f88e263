import {
  createStopSequenceCutter,
  type StopSequenceCutterState,
} from "../../dialect/cut-at-stop.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { StreamStageFactory, StreamStage } from "../pass-through/stage.ts";

/**
 * Ends a turn before the first of these sequences, for an upstream that knows no stop
 * sequences; undefined where there is none.
 */
export function createStopSequenceStage(
  sequences: readonly string[],
): StreamStageFactory<readonly NeutralEvent[], readonly NeutralEvent[]> | undefined {
  return sequences.length === 0 ? undefined : (next) => new StopStage(sequences, next);
}

class StopStage implements StreamStage<readonly NeutralEvent[]> {
  readonly #machine: ReturnType<typeof createStopSequenceCutter>;
  readonly #state: StopSequenceCutterState;
  readonly #next: StreamStage<readonly NeutralEvent[]>;

  constructor(sequences: readonly string[], next: StreamStage<readonly NeutralEvent[]>) {
    this.#machine = createStopSequenceCutter(sequences);
    this.#state = this.#machine.start();
    this.#next = next;
  }

  get #isOver(): boolean {
    return this.#state.met !== undefined;
  }

  push(events: readonly NeutralEvent[]): boolean {
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
