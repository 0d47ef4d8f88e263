import { describe, expect, it } from "vitest";
import type { CallerResponse } from "../../src/gateway/call/caller-response.ts";
import { BodyResponseObjectExtractor } from "../../src/gateway/pass-through/response-extractor.ts";
import { createUsageHidingStage } from "../../src/gateway/pass-through/hide-usage.ts";
import { createWholeBodyDecoder } from "../../src/gateway/transcode/read-whole-body.ts";
import { SseDataReader } from "../../src/gateway/websocket/sse-data-reader.ts";
import { ByteCollector, readBytesWithinLimit } from "../../src/platform/byte-collector.ts";
import { JsonPicker } from "../../src/platform/json-stream/json-picker.ts";
import { SseEventReader } from "../../src/platform/sse/event-reader.ts";
import { expectLinear } from "../support/growth.ts";
import { memoryHeldBy } from "../support/held-memory.ts";

const largeBytes = 200_000;

type Push = (piece: Buffer) => unknown;

function pusher(reader: { push(piece: Buffer): unknown }): Push {
  return (piece) => reader.push(piece);
}

/** Passes nothing on. */
const sink = { push: () => true, finish() {}, fail() {} };

const readers: readonly [string, () => Push][] = [
  ["EventReader", () => pusher(new SseEventReader(4 * largeBytes))],
  [
    "wholeBody",
    () =>
      pusher(
        createWholeBodyDecoder(
          () => [],
          () => undefined,
        ),
      ),
  ],
  ["BodyResponseExtractor", () => pusher(new BodyResponseObjectExtractor(() => undefined))],
  ["JsonPicker", () => pusher(new JsonPicker("whole", 4 * largeBytes))],
];

describe("a reader of a stream", () => {
  it.each(readers)(
    "holds a few times the bytes that came in one-byte pieces: %s",
    (_name, open) => {
      const text = `"${"x".repeat(largeBytes)}`;
      expect(memoryHeldBy(open(), Buffer.from(text))).toBeLessThan(4 * largeBytes);
    },
  );

  it("holds a few times the bytes of an event of many empty lines", () => {
    const reader = new SseEventReader(4 * largeBytes);
    const lines = Buffer.from("data:a\n".repeat(largeBytes / 7));
    const push = (piece: Buffer): unknown => reader.push(piece.length === 0 ? piece : lines);
    expect(memoryHeldBy(push, Buffer.alloc(1))).toBeLessThan(4 * largeBytes);
  });

  it.each<[string, number, string, () => Push]>([
    ["SseDataReader, one line", 48_000, "data: x", () => pusher(new SseDataReader())],
    ["SseDataReader, many lines", 8000, "x\n", () => pusher(new SseDataReader())],
    [
      "hideUsage, one line",
      48_000,
      "data: x",
      () => pusher(createUsageHidingStage({} as CallerResponse)(sink)),
    ],
    [
      "hideUsage, many lines",
      8000,
      "x\n",
      () => pusher(createUsageHidingStage({} as CallerResponse)(sink)),
    ],
  ])("takes time that grows with the number of its pieces: %s", (_name, small, repeated, open) => {
    expectLinear(small, (size) => {
      const bytes = Buffer.from(repeated.repeat(size / repeated.length));
      const push = open();
      return () => {
        for (let at = 0; at < bytes.length; at++) push(bytes.subarray(at, at + 1));
      };
    });
  });
});

describe("ByteCollector", () => {
  it("returns the bytes of all pieces and starts empty", () => {
    const collected = new ByteCollector();
    for (const piece of ["a", "", "bc", "defghijklmn"]) collected.push(Buffer.from(piece));
    expect(collected.bytes.toString()).toBe("abcdefghijklmn");
    expect(collected.take().toString()).toBe("abcdefghijklmn");
    expect(collected.length).toBe(0);
    collected.push(Buffer.from("z"));
    expect(collected.take().toString()).toBe("z");
  });

  it("leaves the memory of the first piece as it is", () => {
    const memory = Buffer.from("abcd");
    const collected = new ByteCollector();
    collected.push(memory.subarray(0, 2));
    collected.push(Buffer.from("xy"));
    expect(memory.toString()).toBe("abcd");
  });
});

describe("readBytesWithinLimit", () => {
  async function* inPieces(text: string): AsyncIterable<Buffer> {
    for (const byte of Buffer.from(text)) yield Buffer.from([byte]);
  }

  it("returns a body of exactly the limit, and undefined for one byte more", async () => {
    expect((await readBytesWithinLimit(inPieces("abc"), 3))?.toString()).toBe("abc");
    expect(await readBytesWithinLimit(inPieces("abcd"), 3)).toBeUndefined();
  });
});
