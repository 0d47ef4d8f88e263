import type { JsonObject } from "../../dialect/json.ts";
import { AnswerFold, type TurnAnswer } from "../../dialect/turn-answer.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import type { Answer } from "../call/answer.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Stage } from "../relay/stage.ts";

/** Writes one JSON object in the caller's dialect, when everything is there. */
export class BodyWriter implements Stage<readonly TurnEvent[]> {
  readonly #answer: Answer;
  readonly #encode: (answer: TurnAnswer) => JsonObject;
  readonly #fold = new AnswerFold();

  constructor(answer: Answer, encode: (answer: TurnAnswer) => JsonObject) {
    this.#answer = answer;
    this.#encode = encode;
  }

  push(events: readonly TurnEvent[]): boolean {
    for (const event of events) this.#fold.push(event);
    return true;
  }

  finish(): void {
    const body = Buffer.from(JSON.stringify(this.#encode(this.#fold.answer())));
    this.#answer.send(200, "application/json", [body], body.length);
  }

  fail(cause: CallFailure): void {
    this.#answer.fail(cause);
  }
}
