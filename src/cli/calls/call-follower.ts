import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isJsonObject } from "../../contract/json/decode-json.ts";

/** A call as REST spells it. */
export type ListedCall = JsonObject & { readonly id: string; readonly at: string };

/** Asks for a page of calls, the one that ended last first. */
export type AskCalls = (page: CallPage) => Promise<JsonObject>;

export interface CallPage {
  readonly limit: number;
  readonly from?: string;
  readonly afterId?: string;
}

/**
 * A process writes the calls that it served within a second, so that some come to
 * light after others that ended later. So much of the past is looked at again.
 */
const overlapMs = 5000;

const pageRows = 100;

/** Tells each call once, in the order in which they come to light, and misses none. */
export class CallFollower {
  readonly #ask: AskCalls;
  /** When those ended that were told and may be seen again, by id. */
  #told = new Map<string, number>();

  constructor(ask: AskCalls) {
    this.#ask = ask;
  }

  /** The last calls, at most so many, the one that ended last at the end. */
  async begin(limit: number): Promise<readonly ListedCall[]> {
    const last = this.#tell(callsOf(await this.#ask({ limit })));
    return [...last, ...(await this.next())].toSorted(byEnd).slice(-limit);
  }

  /** The calls that have come to light since. What it rejects with can be tried again. */
  async next(): Promise<readonly ListedCall[]> {
    const newest = Math.max(...this.#told.values());
    const from = this.#told.size === 0 ? {} : { from: timeText(newest - overlapMs) };
    const calls: ListedCall[] = [];
    for (let after = {}; ;) {
      const page = await this.#ask({ limit: pageRows, ...from, ...after });
      calls.push(...callsOf(page));
      const { has_more: hasMore, last_id: afterId } = page;
      if (hasMore !== true || typeof afterId !== "string") return this.#tell(calls);
      after = { afterId };
    }
  }

  #tell(calls: readonly ListedCall[]): readonly ListedCall[] {
    const fresh = calls.filter(({ id }) => !this.#told.has(id)).toReversed();
    for (const call of fresh) this.#told.set(call.id, endOf(call));
    const since = Math.max(...this.#told.values()) - overlapMs;
    this.#told = new Map([...this.#told].filter(([, end]) => end >= since));
    return fresh;
  }
}

function callsOf({ data }: JsonObject): readonly ListedCall[] {
  return Array.isArray(data) ? data.filter(isCall) : [];
}

function isCall(value: JsonValue): value is ListedCall {
  return isJsonObject(value) && typeof value["id"] === "string" && typeof value["at"] === "string";
}

function endOf({ at }: ListedCall): number {
  return Date.parse(at);
}

function byEnd(one: ListedCall, other: ListedCall): number {
  return endOf(one) - endOf(other);
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}
