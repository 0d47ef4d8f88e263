import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMessagesTruncatedObject } from "../../../src/dialect/messages/parse-truncated.ts";
import { officialMessage } from "../../support/official-messages.ts";
import { someArguments } from "../arbitrary-request.ts";

/** What the official client reads from these arguments. */
async function official(json: string): Promise<unknown> {
  const events = [
    { type: "message_start", message: { content: [], usage: {} } },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "t", name: "f", input: {} },
    },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: json },
    },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const [block] = (await officialMessage(frames.join(""))).content;
  return block?.type === "tool_use" ? block.input : undefined;
}

describe("parseTruncated()", () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":1 ', { a: 1 }],
    ['{"a":"b', {}],
    ['{"a":"b"', { a: "b" }],
    ['{"a":"b","c', { a: "b" }],
    ['{"a":"b","c"', { a: "b" }],
    ['{"a":"b","c":', { a: "b" }],
    ['{"a":{"b":[1,2', { a: { b: [1] } }],
    ['{"a":[{"b":true', { a: [{ b: true }] }],
    ['{"a":tru', {}],
    ['{"a":-', {}],
    ['{"a":"x\\"y","b":"\\', { a: 'x"y' }],
    ["{", {}],
    ["[1", undefined],
    ["{a", undefined],
    ["text", undefined],
    ['"a"', undefined],
  ])("reads %s as %j", (text, value) => {
    expect(parseMessagesTruncatedObject(text)).toEqual(value);
  });

  it("reads a cut object of 256 levels and none that nests deeper", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}`;
    expect(parseMessagesTruncatedObject(nested(256))).toEqual({ a: expect.any(Array) });
    expect(parseMessagesTruncatedObject(nested(257))).toBeUndefined();
    expect(parseMessagesTruncatedObject(nested(100_000))).toBeUndefined();
  });

  it("leaves out a cut text of any length", () => {
    const text = "a".repeat(16 * 1024 * 1024);
    expect(parseMessagesTruncatedObject(`{"a":1,"b":"${text}`)).toEqual({ a: 1 });
    expect(parseMessagesTruncatedObject(`{"a":1,"b":"${text}","c":tru`)).toEqual({ a: 1, b: text });
  });

  it("reads every prefix as the official client does", async () => {
    await fc.assert(
      fc.asyncProperty(someArguments, fc.nat(), async (json, cut) => {
        const prefix = json.slice(0, 1 + (cut % json.length));
        expect(parseMessagesTruncatedObject(prefix)).toEqual(await official(prefix));
      }),
      { numRuns: 150 },
    );
  });
});
