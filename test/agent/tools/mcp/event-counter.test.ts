import { describe, expect, it } from "vitest";
import { SseEventCounter } from "../../../../src/agent/tools/mcp/event-counter.ts";

describe("EventCounter", () => {
  it.each<[string, number]>([
    ["data:{}\n\ndata: {}\n\n", 2],
    ["data\n\n", 1],
    ["event: a\nid: 1\ndata: x\ndata: y\n\n", 1],
    ["data: x\nid: 1\n\n", 1],
    [": ping\n\nid: 1\n\nretry: 5\n\n\n\n", 0],
    ["data: not ended\n", 0],
  ])("counts the events with data in %j, however it is cut", (text, expected) => {
    for (const size of [1, 2, 3, 100]) {
      const counter = new SseEventCounter();
      const bytes = Buffer.from(text);
      let events = 0;
      for (let at = 0; at < bytes.length; at += size) {
        events += counter.push(bytes.subarray(at, at + size));
      }
      expect(events).toBe(expected);
    }
  });
});
