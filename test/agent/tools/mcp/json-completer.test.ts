/** An answer that is longer than is read is cut at any byte, and stays JSON. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TruncatedJsonCompleter } from "../../../../src/agent/tools/mcp/json-completer.ts";

const members = { jsonrpc: "2.0", id: 7 };

function cutAndClosed(text: string, at: number, isStream: boolean): string | undefined {
  const closer = new TruncatedJsonCompleter({ isStream });
  const taken = Buffer.from(text).subarray(0, at);
  closer.push(taken);
  const end = closer.close(members);
  return end && taken.toString() + end;
}

const jsonObject = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());

describe("a JSON object that is cut", () => {
  it("is an object with the members at its end, wherever inside of it the cut is", () => {
    const check = (value: object, part: number, indent: number): void => {
      const text = JSON.stringify(value, null, indent);
      const at = 1 + Math.floor(part * (Buffer.byteLength(text) - 2));
      const closed = cutAndClosed(text, at, false);
      expect(JSON.parse(closed ?? "")).toMatchObject(members);
    };
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(fc.property(jsonObject, part, fc.nat({ max: 2 }), check), { numRuns: 500 });
  });

  it("keeps what stood before the cut", () => {
    const text = JSON.stringify({ result: { content: [{ type: "text", text: "x".repeat(100) }] } });
    const closed = cutAndClosed(text, 60, false);
    expect(JSON.parse(closed ?? "")).toEqual({
      result: { content: [{ type: "text", text: "x".repeat(60 - text.indexOf("xx")) }] },
      ...members,
    });
  });

  it.each([
    String.raw`{"a":"\u00`,
    String.raw`{"a":"\ `.trim(),
    '{"a":-',
    '{"a":1e',
    '{"a":tr',
    '{"a',
    "{",
  ])("is whole again behind %s", (text) => {
    expect(JSON.parse(cutAndClosed(text, text.length, false) ?? "")).toMatchObject(members);
  });

  it.each(["", "[", "[{", '"a', "12"])("is none behind the text %j", (text) => {
    expect(cutAndClosed(text, text.length, false)).toBeUndefined();
  });
});

describe("an event that is cut", () => {
  const before = 'event: message\r\ndata: {"method":"x","params":{"a":[1]}}\r\n\r\nid: 1\r\ndata: ';

  it("is whole again, whatever stood in the events before it", () => {
    const text = `${before}{"result":{"text":"abc`;
    const closed = cutAndClosed(text, text.length, true) ?? "";
    expect(JSON.parse(closed.slice(before.length))).toEqual({
      result: { text: "abc" },
      ...members,
    });
    expect(closed.endsWith("\n\n")).toBe(true);
  });

  it("is lost when the cut is between two lines", () => {
    expect(cutAndClosed(before.slice(0, -6), 1000, true)).toBeUndefined();
  });
});
