import type { JsonObject } from "../../dialect/json.ts";
import { ResponseAccumulator, type NeutralResponse } from "../../dialect/neutral-response.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Stage } from "../pass-through/stage.ts";

/** Writes one JSON object in the caller's dialect, when everything is there. */
export class CallerBodyWriter implements Stage<readonly NeutralEvent[]> {
  readonly #response: CallerResponse;
  readonly #encode: (answer: NeutralResponse) => JsonObject;
  readonly #fold = new ResponseAccumulator();

  constructor(answer: CallerResponse, encode: (answer: NeutralResponse) => JsonObject) {
    this.#response = answer;
    this.#encode = encode;
  }

  push(events: readonly NeutralEvent[]): boolean {
    for (const event of events) this.#fold.push(event);
    return true;
  }

  finish(): void {
    const body = Buffer.from(JSON.stringify(this.#encode(this.#fold.answer())));
    this.#response.send(200, "application/json", body);
  }

  fail(cause: CallFailure): void {
    this.#response.fail(cause);
  }
}
