import type { TurnEvent } from "../../dialect/turn-event.ts";
import { mergeUsage } from "../../dialect/usage.ts";
import type { AnswerMeter } from "../call/answer-meter.ts";
import type { Answer } from "../call/answer.ts";

/** Counts what a transcoded answer tells as it passes, over all its dials. */
export class TurnMeter implements AnswerMeter {
  readonly #answer: Answer;
  /** A token each, as a rule, of a stream. */
  #pieces = 0;
  #parts = 0;

  constructor(answer: Answer) {
    this.#answer = answer;
    answer.meter = this;
  }

  /** Parts that have begun. */
  get parts(): number {
    return this.#parts;
  }

  push(event: TurnEvent): void {
    switch (event.type) {
      case "part-start":
        this.#parts += 1;
        return;
      case "part-delta":
        this.#pieces += 1;
        this.#answer.hasAnswer = true;
        return;
      case "usage":
        this.#answer.usage = mergeUsage(this.#answer.usage, event.usage);
        return;
      default:
    }
  }

  /** The answer has it already. */
  readUsage(): undefined {
    return undefined;
  }

  relayedTokens(): number {
    return this.#pieces;
  }
}
