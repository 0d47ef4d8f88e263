import type { TurnFailure, ResponsesStreamEvent } from "../../domain/durable-turn.ts";
import {
  asArrayOrEmpty,
  asNumber,
  asObject,
  asString,
  type JsonObject,
} from "../../dialect/json.ts";
import { serializeSseEvent } from "../../platform/sse/serialize-event.ts";
import { PendingOutputItem } from "./pending-item.ts";

/** Why a turn ended before its model had. */
export type EarlyTurnEndReason = "cancelled";

const terminalTypes: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "error",
]);

const itemDone = "response.output_item.done";

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
export class TurnEventJournal {
  /** The response object as it was queued: what every later one begins with. */
  readonly #queued: JsonObject;
  #next = 0;
  /** `output_index` of the first item of the call under way. */
  #base = 0;
  #isUnderWay = false;
  /** Items that have ended, by their `output_index`. */
  readonly #output: JsonObject[] = [];
  readonly #items = new Map<number, PendingOutputItem>();
  /** Behind the `output_index` of every item that was told. */
  #end = 0;
  #bytes = 0;
  /** Characters of all pieces. */
  #pieces = 0;
  /** `output_index` of every item, by its id. */
  readonly #places = new Map<unknown, number>();

  /** `queued`: the response object, complete, with the status `queued` and the turn's id. */
  constructor(queued: JsonObject) {
    this.#queued = queued;
  }

  /** Number of the next event. */
  get next(): number {
    return this.#next;
  }

  /** Bytes of the items that have ended, as events. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Characters of the answer so far, about: as many as the last event repeats. */
  get size(): number {
    return this.#bytes + this.#pieces;
  }

  /** The first two events, before anything runs. */
  open(): readonly string[] {
    return [this.#lifecycle("response.created"), this.#lifecycle("response.queued")];
  }

  /** Learns what was told before, by another process for instance. */
  restore(event: ResponsesStreamEvent): void {
    this.#next = (asNumber(event["sequence_number"]) ?? this.#next) + 1;
    if (event.type === "response.in_progress") this.#isUnderWay = true;
    if (event.type === itemDone)
      this.#bytes += Buffer.byteLength(serializeSseEvent(event, itemDone));
    this.#learn(event);
  }

  /** Takes an event of the call under way; what tells how the call ended is not among the frames. */
  take(event: ResponsesStreamEvent): readonly string[] {
    if (terminalTypes.has(event.type)) return [];
    const begun = this.#begin();
    if (lifecycleTypes.has(event.type)) return begun;
    const index = asNumber(event["output_index"]);
    const moved = index === undefined ? event : { ...event, output_index: index + this.#base };
    return [...begun, ...this.#emit(moved)];
  }

  /** The call under way broke off, and another takes its place. */
  interrupt(): readonly string[] {
    const frames = this.#closeItems();
    this.#base = this.#output.length;
    return frames;
  }

  /** Begins an item that no model call says, behind all others; nothing where that was told before. */
  begin(item: JsonObject): readonly string[] {
    if (this.#places.has(item["id"])) return [];
    return this.#emit({ type: "response.output_item.added", output_index: this.#end, item });
  }

  /** An event about such an item; nothing where it has ended. */
  about(id: unknown, event: ResponsesStreamEvent): readonly string[] {
    const output_index = this.#places.get(id);
    if (output_index === undefined || !this.#items.has(output_index)) return [];
    const { type, ...members } = event;
    return this.#emit({ type, item_id: id, output_index, ...members });
  }

  /** Ends it; nothing where it has ended before. */
  finish(item: JsonObject): readonly string[] {
    const output_index = this.#places.get(item["id"]);
    if (output_index === undefined || !this.#items.has(output_index)) return [];
    return this.#emit({ type: itemDone, output_index, item });
  }

  /** What was told of the call under way, or last, and has ended. */
  get charactersSent(): readonly JsonObject[] {
    return this.#output.slice(this.#base);
  }

  /** Ends as the call ended: `terminal` is its last event. The whole response, and its frames. */
  end(terminal: ResponsesStreamEvent): FinalResponseWithFrames {
    const told = asObject(terminal["response"]);
    if (told === undefined) return this.fail(errorIn(terminal));
    const before = this.#output.slice(0, this.#base);
    const frames = [...this.#begin(), ...this.#closeItems()];
    const { id, created_at, background, store, previous_response_id } = this.#queued;
    const own = { id, created_at, background, store, previous_response_id };
    const output = [...before, ...asArrayOrEmpty(told["output"])];
    // Not every vendor that speaks responses tells all that its clients read.
    const response = { ...this.#queued, ...told, ...own, output };
    return this.#finish(terminal.type, response, frames);
  }

  /** `told`: what else is known of the response; of its usage, for instance. */
  fail(error: TurnFailure, told: JsonObject = {}): FinalResponseWithFrames {
    return this.#conclude("response.failed", { ...told, status: "failed", error });
  }

  /** Ends before its model has. */
  stop(reason: EarlyTurnEndReason, told: JsonObject = {}): FinalResponseWithFrames {
    const ended = { status: "cancelled", incomplete_details: { reason } };
    return this.#conclude("response.incomplete", { ...told, ...ended });
  }

  /** Ends with all that was told; `reason`: why it is not complete, undefined where it is. */
  close(reason: string | undefined, told: JsonObject): FinalResponseWithFrames {
    if (reason === undefined) {
      return this.#conclude("response.completed", { ...told, status: "completed" });
    }
    const ended = { status: "incomplete", incomplete_details: { reason } };
    return this.#conclude("response.incomplete", { ...told, ...ended });
  }

  #conclude(type: string, ended: JsonObject): FinalResponseWithFrames {
    const frames = this.#closeItems();
    const response = { ...this.#queued, ...ended, output: [...this.#output] };
    return this.#finish(type, response, frames);
  }

  #emit(event: ResponsesStreamEvent): readonly string[] {
    const begun = this.#begin();
    this.#learn(event);
    return [...begun, this.#print(event)];
  }

  #finish(type: string, response: JsonObject, before: readonly string[]): FinalResponseWithFrames {
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

  #learn(event: ResponsesStreamEvent): void {
    const index = asNumber(event["output_index"]);
    if (index === undefined) return;
    const item = asObject(event["item"]) ?? {};
    if (event.type.startsWith("response.output_item.")) this.#end = Math.max(this.#end, index + 1);
    if (event.type === "response.output_item.added") {
      this.#items.set(index, new PendingOutputItem(index, item));
      this.#places.set(item["id"], index);
    } else if (event.type === itemDone) {
      this.#items.delete(index);
      this.#output[index] = item;
    } else {
      this.#pieces += asString(event["delta"])?.length ?? 0;
      this.#items.get(index)?.take(event);
    }
  }

  #closeItems(): readonly string[] {
    return [...this.#items].flatMap(([index, underWay]) => {
      const { item, events } = underWay.close();
      this.#items.delete(index);
      this.#output[index] = item;
      return events.map((event) => this.#print(event));
    });
  }

  #print(event: ResponsesStreamEvent): string {
    const { type, sequence_number: _number, ...rest } = event;
    const frame = serializeSseEvent({ type, sequence_number: this.#next++, ...rest }, type);
    if (type === itemDone) this.#bytes += Buffer.byteLength(frame);
    return frame;
  }
}

/** How a turn ended: the response object, and the last frames. */
export interface FinalResponseWithFrames {
  readonly response: JsonObject;
  readonly frames: readonly string[];
}

/** What an `error` event tells, beside `type` or inside `error`. */
function errorIn(event: ResponsesStreamEvent): TurnFailure {
  const told = asObject(event["error"]) ?? event;
  return {
    code: asString(told["code"]) ?? "server_error",
    message: asString(told["message"]) ?? "The upstream failed.",
  };
}
