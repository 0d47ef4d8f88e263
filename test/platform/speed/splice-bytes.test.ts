import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateAndFindMemberSpans } from "../../../src/platform/json-splice/scan-object.ts";
import { spliceBytesInPlace } from "../../../src/platform/speed/splice-bytes.ts";

function replaceModel(text: string, model: string): string {
  const bytes = Buffer.from(text);
  const [span] = validateAndFindMemberSpans(bytes, ["model"]);
  if (span === undefined) throw new Error("no model");
  return spliceBytesInPlace(bytes, span, JSON.stringify(model)).toString();
}

describe("spliceBytes()", () => {
  it.each([
    ["near the front", '{"model":"custom/a/b","messages":[{"role":"user"}], "x":1.0}'],
    ["at the end", '{"messages":[{"role":"user"}],\n "x":1.0, "model" : "custom/a/b" }'],
  ])("replaces the value and nothing else, %s", (_, text) => {
    for (const model of ["b", "custom/a/c", "a much longer name than before"]) {
      expect(replaceModel(text, model)).toBe(text.replace('"custom/a/b"', JSON.stringify(model)));
    }
  });

  it("writes into the given memory when the replacement fits", () => {
    const bytes = Buffer.from('{"model":"custom/a/b","n":1}');
    const result = spliceBytesInPlace(bytes, { start: 9, end: 21 }, '"b"');
    expect(result.buffer).toBe(bytes.buffer);
  });

  it("keeps every other byte, whatever stands around", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (head, old, next, tail) => {
        const bytes = Buffer.concat([head, old, tail].map((text) => Buffer.from(text)));
        const start = Buffer.byteLength(head);
        const span = { start, end: start + Buffer.byteLength(old) };
        expect(spliceBytesInPlace(bytes, span, next).toString()).toBe(head + next + tail);
      }),
    );
  });
});
