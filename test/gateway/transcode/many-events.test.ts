import { describe, expect, it } from "vitest";
import { getDialectCodec } from "../../../src/dialect/codecs.ts";
import type { StreamEncoder } from "../../../src/dialect/codec.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import type { CallerResponse } from "../../../src/gateway/call/caller-response.ts";
import { CallerEventStreamWriter } from "../../../src/gateway/transcode/stream-writer.ts";
import { answerContext } from "../../support/codec-contexts.ts";

/** A caller that reads a piece when a test lets it. */
function createSlowCaller() {
  const pieces: string[] = [];
  let parts: Iterator<Buffer> = [][Symbol.iterator]();
  const response = {
    push: (bytes: Buffer) => pieces.push(bytes.toString()) > 0,
    pushParts: (of: Iterable<Buffer>) => {
      parts = of[Symbol.iterator]();
      return read();
    },
  };
  const read = (): boolean => {
    const { done, value } = parts.next();
    if (done !== true) pieces.push(value.toString());
    return done === true;
  };
  return { response: response as unknown as CallerResponse, pieces, read };
}

const count = 20_000;
const end: NeutralEvent = { type: "response-end", reason: "tool-calls", raw: undefined };

function calls(): NeutralEvent[] {
  return Array.from({ length: count }, (_, index): NeutralEvent[] => {
    const call = { kind: "function", id: `call_${index}`, name: "f" } as const;
    return [
      { type: "part-start", index, part: { type: "tool-call", ...call } },
      { type: "part-end", index },
    ];
  }).flat();
}

function textOf(encoder: StreamEncoder, events: readonly NeutralEvent[]): string {
  return events.map((event) => encoder.push(event)).join("");
}

describe.each(["dialect_chat", "dialect_messages", "dialect_responses"] as const)(
  "many events of one read, written in %s",
  (dialect) => {
    const create = () => getDialectCodec(dialect).encodeStream(answerContext());

    it("are encoded in pieces of 64 KiB, each when the caller has read the one before", () => {
      const { response, pieces, read } = createSlowCaller();
      const encoder = create();
      let encoded = 0;
      const push = (event: NeutralEvent) => {
        encoded += 1;
        return encoder.push(event);
      };
      const writer = new CallerEventStreamWriter(response, { ...encoder, push });
      const begin: NeutralEvent = { type: "response-start" };
      const events = [begin, ...calls()];
      expect(writer.push(events)).toBe(false);
      expect(encoded).toBeLessThan(count / 4);
      while (!read());
      expect(pieces.every((piece) => piece.length <= 64 * 1024)).toBe(true);
      expect(pieces.join("") === textOf(create(), events)).toBe(true);
    });
  },
);

it("More events than fit on the stack wait behind a piece that the caller reads slowly", () => {
  const { response, pieces, read } = createSlowCaller();
  const events = [{ type: "response-start" } as const, ...calls()];
  const create = () => getDialectCodec("dialect_chat").encodeStream(answerContext());
  const writer = new CallerEventStreamWriter(response, create());
  writer.push(events);
  const usages = Array.from({ length: 200_000 }, () => ({ type: "usage", usage: {} }) as const);
  const later = [...usages, end];
  expect(writer.push(later)).toBe(false);
  while (!read());
  expect(pieces.join("") === textOf(create(), [...events, ...later])).toBe(true);
});
