import type { JsonObject } from "../../dialect/json.ts";
import {
  NeutralResponseAccumulator,
  type NeutralResponse,
} from "../../dialect/neutral-response.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import { JsonStringifyCache } from "../../platform/json-texts.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { toCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { StreamStage } from "../pass-through/stage.ts";
import type { NeutralResponseStoreCallback } from "./store-transcoded-response.ts";

/** Writes one JSON object in the caller's dialect, when everything is there. */
export class CallerJsonResponseWriter implements StreamStage<readonly NeutralEvent[]> {
  readonly #response: CallerResponse;
  readonly #encode: (answer: NeutralResponse) => JsonObject;
  readonly #store: NeutralResponseStoreCallback | undefined;
  readonly #fold = new NeutralResponseAccumulator();

  /** `store` has stored the answer before its caller gets it. */
  constructor(
    answer: CallerResponse,
    encode: (answer: NeutralResponse) => JsonObject,
    store?: NeutralResponseStoreCallback,
  ) {
    this.#response = answer;
    this.#encode = encode;
    this.#store = store;
  }

  push(events: readonly NeutralEvent[]): boolean {
    for (const event of events) this.#fold.push(event);
    return true;
  }

  finish(): void {
    const answer = this.#fold.answer();
    const body = this.#encode(answer);
    const texts = new JsonStringifyCache();
    const bytes = Buffer.from([...texts.pieces(body)].join(""));
    if (this.#store === undefined) this.#send(bytes);
    else this.#sendWhenStored(bytes, this.#store(answer, { body, texts }));
  }

  fail(cause: CallFailure): void {
    this.#response.fail(cause);
  }

  #sendWhenStored(bytes: Buffer, stored: Promise<void>): void {
    stored.then(() => this.#send(bytes)).catch((error: unknown) => this.fail(toCallFailure(error)));
  }

  #send(bytes: Buffer): void {
    this.#response.send(200, "application/json", bytes);
  }
}
