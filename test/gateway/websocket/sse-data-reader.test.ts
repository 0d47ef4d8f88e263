import fc from "fast-check";
import { expect, it } from "vitest";
import { SseDataReader } from "../../../src/gateway/websocket/sse-data-reader.ts";
import { SseEventReader } from "../../../src/platform/sse/event-reader.ts";

const line = fc.constantFrom(
  'data: {"type":"response.output_text.delta"}',
  "data:é",
  "data",
  "data: ",
  "event: error",
  ": ping",
  "id: 1",
  "\ufeffdata: marked",
  "\ufeff",
  "x",
);
const streams = fc
  .array(fc.tuple(fc.array(line, { maxLength: 3 }), fc.constantFrom("\n", "\n", "\n", "\r\n")), {
    maxLength: 8,
  })
  .map((events) => events.map(([lines, end]) => lines.map((it) => it + end).join("") + end));

it("has the data of every event as the reader of event streams has it, however the bytes are cut", () => {
  fc.assert(
    fc.property(streams, fc.array(fc.nat({ max: 400 })), (events, cuts) => {
      const bytes = Buffer.from(events.join(""));
      const reader = new SseEventReader(1024 * 1024);
      const expected = [...reader.push(bytes), ...reader.finish()].map(({ data }) => data);
      const payloads = new SseDataReader();
      const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length];
      const read: string[] = [];
      let start = 0;
      for (const end of ends.toSorted((left, right) => left - right)) {
        for (const data of payloads.push(bytes.subarray(start, end))) read.push(data.toString());
        start = end;
      }
      for (const data of payloads.finish()) read.push(data.toString());
      expect(read).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});
