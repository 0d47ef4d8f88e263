import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { fetchServerListPages } from "../list-pages.ts";
import { appendAll } from "../../platform/append-all.ts";

/** A call as REST spells it. */
export type CallLogListItem = JsonObject & { readonly id: string; readonly at: string };

/** Asks for a page of calls, the one that ended last first. */
export type CallLogPageFetcher = (page: CallLogPageRequest) => Promise<JsonObject>;

export interface CallLogPageRequest {
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
export class CallLogTailer {
  readonly #fetchPage: CallLogPageFetcher;
  /** When those ended that were told and may be seen again, by id. */
  #seen = new Map<string, number>();

  constructor(ask: CallLogPageFetcher) {
    this.#fetchPage = ask;
  }

  /** The last calls, at most so many, the one that ended last at the end. */
  async start(limit: number): Promise<readonly CallLogListItem[]> {
    const last = this.#emit(callsOf(await this.#fetchPage({ limit })));
    return [...last, ...(await this.next())].toSorted(byEnd).slice(-limit);
  }

  /** The calls that have come to light since. All but an `EndlessServerListError` can be tried again. */
  async next(): Promise<readonly CallLogListItem[]> {
    const from = this.#seen.size === 0 ? {} : { from: timeText(this.#newestEnd() - overlapMs) };
    const calls: CallLogListItem[] = [];
    const pages = fetchServerListPages((after) =>
      this.#fetchPage({ limit: pageRows, ...from, ...after }),
    );
    for await (const page of pages) appendAll(calls, callsOf(page));
    return this.#emit(calls);
  }

  #emit(calls: readonly CallLogListItem[]): readonly CallLogListItem[] {
    const fresh = calls.filter(({ id }) => !this.#seen.has(id)).toReversed();
    for (const call of fresh) this.#seen.set(call.id, endOf(call));
    const since = this.#newestEnd() - overlapMs;
    this.#seen = new Map([...this.#seen].filter(([, end]) => end >= since));
    return fresh;
  }

  #newestEnd(): number {
    let newest = -Infinity;
    for (const end of this.#seen.values()) newest = Math.max(newest, end);
    return newest;
  }
}

function callsOf({ data }: JsonObject): readonly CallLogListItem[] {
  return Array.isArray(data) ? data.filter(isCall) : [];
}

function isCall(value: JsonValue): value is CallLogListItem {
  return (
    isProtobufJsonObject(value) &&
    typeof value["id"] === "string" &&
    typeof value["at"] === "string"
  );
}

function endOf({ at }: CallLogListItem): number {
  return Date.parse(at);
}

function byEnd(one: CallLogListItem, other: CallLogListItem): number {
  return endOf(one) - endOf(other);
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}
