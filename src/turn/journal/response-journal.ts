import { asArray, asNumber, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { printEvent } from "../../platform/sse/print-event.ts";
import { ItemUnderWay } from "./item-under-way.ts";
import type { UnnumberedEvent } from "./unnumbered-event.ts";

/** What a turn failed with, as a response object tells it. */
export interface ToldError {
  readonly code: string;
  readonly message: string;
}

/** Why a turn ended before its model had. */
export type EndReason = "cancelled";

const terminalTypes: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "error",
]);

const lifecycleTypes: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
]);

/**
 * The events of one turn, as its callers get them, made from those of the model calls
 * that it takes: numbered without gaps, under the turn's id, each later call's items
 * behind those that were told before. What was told once is never taken back: where a
 * call breaks off, its half-told item is closed as `incomplete`.
 */
export class ResponseJournal {
  /** The response object as it was queued: what every later one begins with. */
  readonly #queued: JsonObject;
  #next = 0;
  /** `output_index` of the first item of the call under way. */
  #base = 0;
  #isUnderWay = false;
  /** Items that have ended, by their `output_index`. */
  readonly #output: JsonObject[] = [];
  readonly #items = new Map<number, ItemUnderWay>();

  /** `queued`: the response object, complete, with the status `queued` and the turn's id. */
  constructor(queued: JsonObject) {
    this.#queued = queued;
  }

  /** Number of the next event. */
  get next(): number {
    return this.#next;
  }

  /** The first two events, before anything runs. */
  open(): readonly string[] {
    return [this.#lifecycle("response.created"), this.#lifecycle("response.queued")];
  }

  /** Learns what was told before, by another process for instance. */
  restore(event: UnnumberedEvent): void {
    this.#next = (asNumber(event["sequence_number"]) ?? this.#next) + 1;
    if (event.type === "response.in_progress") this.#isUnderWay = true;
    this.#learn(event);
  }

  /** Takes an event of the call under way; what tells how the call ended is not among the frames. */
  take(event: UnnumberedEvent): readonly string[] {
    if (terminalTypes.has(event.type)) return [];
    const begun = this.#begin();
    if (lifecycleTypes.has(event.type)) return begun;
    const index = asNumber(event["output_index"]);
    const moved = index === undefined ? event : { ...event, output_index: index + this.#base };
    this.#learn(moved);
    return [...begun, this.#print(moved)];
  }

  /** The call under way broke off, and another takes its place. */
  interrupt(): readonly string[] {
    const frames = this.#closeItems();
    this.#base = this.#output.length;
    return frames;
  }

  /** Ends as the call ended: `terminal` is its last event. The whole response, and its frames. */
  end(terminal: UnnumberedEvent): Ending {
    const told = asObject(terminal["response"]);
    if (told === undefined) return this.fail(errorIn(terminal));
    const before = this.#output.slice(0, this.#base);
    const frames = [...this.#begin(), ...this.#closeItems()];
    const { id, created_at, background, store, previous_response_id } = this.#queued;
    const own = { id, created_at, background, store, previous_response_id };
    const output = [...before, ...asArray(told["output"])];
    // Not every vendor that speaks responses tells all that its clients read.
    const response = { ...this.#queued, ...told, ...own, output };
    return this.#finish(terminal.type, response, frames);
  }

  fail(error: ToldError): Ending {
    const frames = this.#closeItems();
    const response = { ...this.#queued, status: "failed", error, output: [...this.#output] };
    return this.#finish("response.failed", response, frames);
  }

  /** Ends before its model has. */
  stop(reason: EndReason): Ending {
    const frames = this.#closeItems();
    const ended = { status: "cancelled", incomplete_details: { reason } };
    const response = { ...this.#queued, ...ended, output: [...this.#output] };
    return this.#finish("response.incomplete", response, frames);
  }

  #finish(type: string, response: JsonObject, before: readonly string[]): Ending {
    return { response, frames: [...before, this.#print({ type, response })] };
  }

  #begin(): readonly string[] {
    if (this.#isUnderWay) return [];
    this.#isUnderWay = true;
    return [this.#lifecycle("response.in_progress", "in_progress")];
  }

  #lifecycle(type: string, status = "queued"): string {
    return this.#print({ type, response: { ...this.#queued, status } });
  }

  #learn(event: UnnumberedEvent): void {
    const index = asNumber(event["output_index"]);
    if (index === undefined) return;
    const item = asObject(event["item"]) ?? {};
    if (event.type === "response.output_item.added") {
      this.#items.set(index, new ItemUnderWay(index, item));
    } else if (event.type === "response.output_item.done") {
      this.#items.delete(index);
      this.#output[index] = item;
    } else this.#items.get(index)?.take(event);
  }

  #closeItems(): readonly string[] {
    return [...this.#items].flatMap(([index, underWay]) => {
      const { item, events } = underWay.close();
      this.#items.delete(index);
      this.#output[index] = item;
      return events.map((event) => this.#print(event));
    });
  }

  #print(event: UnnumberedEvent): string {
    const { type, sequence_number: _number, ...rest } = event;
    return printEvent({ type, sequence_number: this.#next++, ...rest }, type);
  }
}

/** How a turn ended: the response object, and the last frames. */
export interface Ending {
  readonly response: JsonObject;
  readonly frames: readonly string[];
}

/** What an `error` event tells, beside `type` or inside `error`. */
function errorIn(event: UnnumberedEvent): ToldError {
  const told = asObject(event["error"]) ?? event;
  return {
    code: asString(told["code"]) ?? "server_error",
    message: asString(told["message"]) ?? "The upstream failed.",
  };
}
