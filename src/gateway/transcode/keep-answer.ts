import { AnswerFold, type TurnAnswer } from "../../dialect/turn-answer.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import { failureOf, type CallFailure } from "../call/call-failure.ts";
import type { Link, Stage } from "../relay/stage.ts";

/** Keeps a whole answer for later calls; never rejects. */
export type KeepAnswer = (answer: TurnAnswer) => Promise<void>;

/**
 * Keeps an answer before its caller hears that it is complete, so that the next
 * call can go on from it at once. An answer that cannot be kept is given all the
 * same: a call that goes on from it is refused, which loses less.
 */
export function keepAnswer(keep: KeepAnswer): Link<readonly TurnEvent[], readonly TurnEvent[]> {
  return (next) => new AnswerKeeper(next, keep);
}

class AnswerKeeper implements Stage<readonly TurnEvent[]> {
  readonly #next: Stage<readonly TurnEvent[]>;
  readonly #keep: KeepAnswer;
  readonly #fold = new AnswerFold();
  /** The end, until the answer is kept. */
  #held: readonly TurnEvent[] = [];

  constructor(next: Stage<readonly TurnEvent[]>, keep: KeepAnswer) {
    this.#next = next;
    this.#keep = keep;
  }

  push(events: readonly TurnEvent[]): boolean {
    for (const event of events) this.#fold.push(event);
    if (events.at(-1)?.type !== "turn-end") return this.#next.push(events);
    this.#held = events.slice(-1);
    return this.#next.push(events.slice(0, -1));
  }

  finish(): void {
    this.#keep(this.#fold.answer())
      .then(() => this.#pass())
      .catch((error: unknown) => this.#next.fail(failureOf(error)));
  }

  fail(cause: CallFailure): void {
    this.#next.fail(cause);
  }

  #pass(): void {
    this.#next.push(this.#held);
    this.#next.finish();
  }
}
