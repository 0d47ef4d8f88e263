import {
  NeutralResponseAccumulator,
  type NeutralResponse,
} from "../../dialect/neutral-response.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { JsonStringifyCache } from "../../platform/json-texts.ts";
import { toCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { StreamStageFactory, StreamStage } from "../pass-through/stage.ts";

/** A response as its caller gets it, with the JSON of what was already written of it. */
export interface CallerResponseWithJsonCache {
  readonly body: JsonObject;
  readonly texts: JsonStringifyCache;
}

/** Keeps a whole answer for later calls; never rejects. It is encoded here unless `written` has it. */
export type NeutralResponseStoreCallback = (
  answer: NeutralResponse,
  written?: CallerResponseWithJsonCache,
) => Promise<void>;

/**
 * Keeps an answer before its caller hears that it is complete, so that the next
 * call can go on from it at once. An answer that cannot be kept is given all the
 * same: a call that goes on from it is refused, which loses less.
 */
export function createTranscodedResponseStoringStage(
  keep: NeutralResponseStoreCallback,
): StreamStageFactory<readonly NeutralEvent[], readonly NeutralEvent[]> {
  return (next) => new ResponseStoringStage(next, keep);
}

class ResponseStoringStage implements StreamStage<readonly NeutralEvent[]> {
  readonly #next: StreamStage<readonly NeutralEvent[]>;
  readonly #keep: NeutralResponseStoreCallback;
  readonly #fold = new NeutralResponseAccumulator();
  /** The end, until the answer is kept. */
  #held: readonly NeutralEvent[] = [];

  constructor(next: StreamStage<readonly NeutralEvent[]>, keep: NeutralResponseStoreCallback) {
    this.#next = next;
    this.#keep = keep;
  }

  push(events: readonly NeutralEvent[]): boolean {
    for (const event of events) this.#fold.push(event);
    if (events.at(-1)?.type !== "response-end") return this.#next.push(events);
    this.#held = events.slice(-1);
    return this.#next.push(events.slice(0, -1));
  }

  finish(): void {
    this.#keep(this.#fold.answer())
      .then(() => this.#pass())
      .catch((error: unknown) => this.#next.fail(toCallFailure(error)));
  }

  fail(cause: CallFailure): void {
    this.#next.fail(cause);
  }

  #pass(): void {
    this.#next.push(this.#held);
    this.#next.finish();
  }
}
