import { describe, expect, it } from "vitest";
import { CallLogTailer, type CallLogPageFetcher } from "../../../src/cli/calls/call-tailer.ts";

const second = 1000;

interface Ended {
  readonly id: string;
  readonly at: string;
}

/** A list of calls that a test adds to, in whatever order they come to light. */
function callList() {
  const calls: Ended[] = [];
  const ask: CallLogPageFetcher = ({ limit, from = "", afterId }) => {
    const sorted = calls.filter(({ at }) => at >= from).toSorted((a, b) => (a.at < b.at ? 1 : -1));
    const start = afterId === undefined ? 0 : sorted.findIndex(({ id }) => id === afterId) + 1;
    const data = sorted.slice(start, start + limit).map((call) => ({ ...call }));
    const hasMore = start + limit < sorted.length;
    return Promise.resolve({ data, has_more: hasMore, last_id: data.at(-1)?.id ?? null });
  };
  const add = (id: string, milliseconds: number) =>
    void calls.push({ id, at: new Date(1e12 + milliseconds).toISOString() });
  const follower = new CallLogTailer(ask);
  const idsOf = (found: readonly Readonly<Record<string, unknown>>[]) => found.map(({ id }) => id);
  return {
    add,
    begin: async (limit: number) => idsOf(await follower.start(limit)),
    next: async () => idsOf(await follower.next()),
  };
}

describe("who follows calls", () => {
  it("is told the last ones first, then each once", async () => {
    const { add, begin, next } = callList();
    for (let index = 0; index < 5; index += 1) add(`c${index}`, index);
    expect(await begin(3)).toEqual(["c2", "c3", "c4"]);
    expect(await next()).toEqual([]);
    add("c5", 10);
    add("c6", 11);
    expect(await next()).toEqual(["c5", "c6"]);
    expect(await next()).toEqual([]);
  });

  it("is told of the first call where there was none", async () => {
    const { add, begin, next } = callList();
    expect(await begin(10)).toEqual([]);
    expect(await next()).toEqual([]);
    add("first", 0);
    expect(await next()).toEqual(["first"]);
  });

  it("is told of a call that another process wrote after later ones", async () => {
    const { add, begin, next } = callList();
    add("old", 0);
    add("early", 10 * second);
    expect(await begin(10)).toEqual(["old", "early"]);
    add("late", 20 * second);
    expect(await next()).toEqual(["late"]);
    add("slow", 17 * second);
    expect(await next()).toEqual(["slow"]);
    expect(await next()).toEqual([]);
  });

  it("is told of all calls, however many there were since", async () => {
    const { add, begin, next } = callList();
    add("first", 0);
    await begin(10);
    const ids = Array.from({ length: 250 }, (_none, index) => `c${index}`);
    for (const [index, id] of ids.entries()) add(id, 1 + index);
    expect(await next()).toEqual(ids);
  });
});
