import { describe, expect, it } from "vitest";
import { createThreadItemFinder } from "../../../src/gateway/agent/thread-item-finder.ts";

describe("createThreadItemFinder", () => {
  it("reads each item of the thread a few times, however many are looked up", () => {
    let reads = 0;
    const items = Array.from({ length: 500 }, (_, index) => ({
      type: "message",
      get id() {
        reads += 1;
        return `msg_${index}`;
      },
    }));
    const find = createThreadItemFinder({ conversation: { items } });
    const found = items.map((_, index) => find(`msg_${index}`));
    expect(found).toEqual(items);
    expect(reads).toBeLessThanOrEqual(10 * items.length);
  });

  it("finds the first of two items that share an id", () => {
    const items = [
      { id: "msg_1", text: "first" },
      { id: "msg_1", text: "second" },
      { text: "none" },
    ];
    const find = createThreadItemFinder({ conversation: { items } });
    expect([find("msg_1"), find("msg_2")]).toEqual([items[0], undefined]);
  });

  it("returns an answer for any id while a turn of the thread runs", () => {
    const find = createThreadItemFinder({ running: "turn_1" });
    expect(find("msg_1")).toMatchObject({ type: "message", role: "assistant" });
  });
});
