import { assert, constantFrom, array, property, stringMatching, nat } from "fast-check";
import { describe, expect, it } from "vitest";
import { SseEventReader, SseEventTooLargeError } from "../../../src/platform/sse/event-reader.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import type { SseEvent } from "../../../src/platform/sse/stream-event.ts";

const mebibyte = 1024 * 1024;

function readIn(pieces: readonly Buffer[]): SseEvent[] {
  const reader = new SseEventReader(mebibyte);
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.finish()];
}

function cutAt(bytes: Buffer, at: number): Buffer[] {
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

const frames = [
  "\u{feff}: hello\n\n",
  'event: message_start\ndata: {"text":"grüße 🙂"}\n\n',
  "data:no space\nid: 7\nretry: 3\n\n",
  "data: one\ndata: two\n\n",
  "event: empty\n\n",
  "data\n\n",
  "data: [DONE]\n\n",
].join("");

const expected = [
  { name: "message_start", data: '{"text":"grüße 🙂"}' },
  { name: undefined, data: "no space" },
  { name: undefined, data: "one\ntwo" },
  { name: undefined, data: "" },
  { name: undefined, data: "[DONE]" },
];

describe("EventReader", () => {
  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("[stream.bytes] reads the same events with %s, cut at every byte", (_name, lineEnd) => {
    const bytes = Buffer.from(frames.replaceAll("\n", lineEnd));
    for (let at = 0; at <= bytes.length; at++) expect(readIn(cutAt(bytes, at))).toEqual(expected);
    const single = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(readIn(single)).toEqual(expected);
  });

  it("gives an event as soon as its blank line is there", () => {
    const reader = new SseEventReader(mebibyte);
    expect(reader.push(Buffer.from("data: a\n"))).toEqual([]);
    expect(reader.push(Buffer.from("\ndata: b"))).toEqual([{ name: undefined, data: "a" }]);
    expect(reader.finish()).toEqual([{ name: undefined, data: "b" }]);
  });

  it("takes a line of 2 MB and refuses an event beyond its bound", () => {
    const long = Buffer.from(`data: ${"x".repeat(2_000_000)}\n\n`);
    const reader = new SseEventReader(4 * mebibyte);
    const pieces = Array.from({ length: Math.ceil(long.length / 65_536) }, (_none, index) =>
      long.subarray(index * 65_536, (index + 1) * 65_536),
    );
    expect(pieces.flatMap((piece) => reader.push(piece))[0]?.data).toHaveLength(2_000_000);
    const endless = new SseEventReader(mebibyte);
    expect(() => pieces.flatMap((piece) => endless.push(piece))).toThrow(SseEventTooLargeError);
    const manyLines = new SseEventReader(1000);
    expect(() => manyLines.push(Buffer.from("data: 12345678\n".repeat(100)))).toThrow(
      SseEventTooLargeError,
    );
  });

  it("agrees with readEvents() on any whole stream, cut anywhere", () => {
    const line = stringMatching(/^(?:data|event|id|:|foo)?:? ?[\w\u00e9\u{1f642}]{0,5}$/u);
    const lines = array(line, { maxLength: 20 });
    assert(
      property(lines, constantFrom("\n", "\r\n", "\r"), nat(), (given, lineEnd, cut) => {
        const text = `${given.join(lineEnd)}${lineEnd}data: last${lineEnd}${lineEnd}`;
        const bytes = Buffer.from(text);
        expect(readIn(cutAt(bytes, cut % bytes.length))).toEqual(parseEventStreamText(text));
      }),
      { numRuns: 500 },
    );
  });
});
