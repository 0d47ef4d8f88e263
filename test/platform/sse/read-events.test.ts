import { describe, expect, it } from "vitest";
import { serializeSseEvent } from "../../../src/platform/sse/serialize-event.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";

describe("readEvents()", () => {
  it("reads names and data as the standard says", () => {
    const text =
      "\u{feff}: hi\n\nevent: a\nid: 1\ndata:x\ndata:  y\n\nretry: 5\n\ndata\n\ndata: cut";
    expect(parseEventStreamText(text)).toEqual([
      { name: "a", data: "x\n y" },
      { name: undefined, data: "" },
    ]);
  });

  it("reads what serializeEvent() prints", () => {
    const text = serializeSseEvent({ text: "a\nb" }, "delta") + serializeSseEvent([1]);
    expect(parseEventStreamText(text)).toEqual([
      { name: "delta", data: '{"text":"a\\nb"}' },
      { name: undefined, data: "[1]" },
    ]);
  });
});
