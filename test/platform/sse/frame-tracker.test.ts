import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSseFieldValueStart } from "../../../src/platform/sse/field-value.ts";
import {
  SseFrameTracker,
  type StreamLineClassifier,
} from "../../../src/platform/sse/frame-tracker.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";

/** `data: END` ends, `event: error` reports an error. */
const readLine: StreamLineClassifier = (bytes, start, end) => {
  const data = findSseFieldValueStart(bytes, start, end, "data");
  if (data !== -1) return bytes.toString("latin1", data, end) === "END]" ? "end" : "none";
  const name = findSseFieldValueStart(bytes, start, end, "event");
  return name !== -1 && bytes.toString("latin1", name, end) === "error" ? "error" : "none";
};

const frames = [
  ": comment",
  'id: 7\ndata: {"a":1}',
  'event: delta\ndata: {"text":"é 你好"}',
  "data: first\ndata: second",
  `event: delta\ndata: ${"x".repeat(300)}`,
  "data: END]",
];

function track(chunks: readonly Buffer[]) {
  const tracker = new SseFrameTracker(readLine);
  let passed = 0;
  let seen = 0;
  for (const chunk of chunks) {
    const complete = tracker.push(chunk);
    if (complete > 0) passed = seen + complete;
    seen += chunk.length;
  }
  return { tracker, passed };
}

describe("FrameTracker", () => {
  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("finds the same events and boundaries wherever a stream is cut, %s", (_, lineEnd) => {
    const text = frames
      .map((frame) => `${frame}\n\n`)
      .join("")
      .replaceAll("\n", lineEnd);
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { tracker, passed } = track([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect([tracker.events, tracker.ended, tracker.failed, passed, cut]).toEqual([
        parseEventStreamText(text).length,
        true,
        false,
        bytes.length,
        cut,
      ]);
    }
  });

  it("finds them in any chunking", () => {
    const bytes = Buffer.from(frames.map((frame) => `${frame}\n\n`).join(""));
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const { tracker, passed } = track(chunks);
        expect([tracker.events, tracker.ended, passed]).toEqual([5, true, bytes.length]);
      }),
    );
  });

  it("says how much of a chunk belongs to complete frames", () => {
    const tracker = new SseFrameTracker(readLine);
    expect(tracker.push(Buffer.from("data: a\n\ndata: b\n"))).toBe(9);
    expect(tracker.push(Buffer.from("\nda"))).toBe(1);
    expect(tracker.push(Buffer.from("ta: c"))).toBe(0);
    expect(tracker.push(Buffer.from("\n\n\n"))).toBe(3);
    expect(tracker.events).toBe(3);
  });

  it("tells an error that comes first from a later one", () => {
    const first = track([Buffer.from("event: error\ndata: {}\n\ndata: a\n\n")]).tracker;
    const later = track([Buffer.from("data: a\n\nevent: error\ndata: {}\n\n")]).tracker;
    expect([first.failed, first.beganWithError]).toEqual([true, true]);
    expect([later.failed, later.beganWithError]).toEqual([true, false]);
  });

  it("takes comments and frames without data for no event", () => {
    const { tracker } = track([Buffer.from(": ping\n\nevent: error\n\nretry: 3\n\n")]);
    expect([tracker.events, tracker.failed]).toEqual([0, false]);
  });

  it("counts a last frame without its blank line only if its line looks whole", () => {
    const whole = track([Buffer.from("data: a\n\ndata: END]")]).tracker;
    const cut = track([Buffer.from("data: a\n\nevent: error\ndata: {")]).tracker;
    whole.finish();
    cut.finish();
    expect([whole.events, whole.ended]).toEqual([2, true]);
    expect([cut.events, cut.failed]).toEqual([1, false]);
  });
});
