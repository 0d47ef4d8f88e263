import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { JsonSyntaxError } from "../../../src/platform/json-splice/json-syntax-error.ts";
import { JsonScanBuffer } from "../../../src/platform/speed/scan-buffer.ts";
import {
  decodeJsonString,
  validateAndFindMemberSpans,
} from "../../../src/platform/json-splice/scan-object.ts";
import { expectLinear } from "../../support/growth.ts";

const names = ["model", "stream"];

function scan(text: string | Buffer): Record<string, string | undefined> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const spans = validateAndFindMemberSpans(bytes, names);
  return Object.fromEntries(
    names.map((name, index) => {
      const span = spans[index];
      return [name, span && bytes.toString("utf8", span.start, span.end)];
    }),
  );
}

function refusal(text: string | Buffer): JsonSyntaxError {
  try {
    scan(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text.toString()}`);
}

/** What the standard parser thinks of bytes that have to be UTF-8 and an object. */
function parsesAsObject(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function accepts(bytes: Buffer): boolean {
  try {
    validateAndFindMemberSpans(bytes, []);
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

describe("scanObject()", () => {
  it("finds the values of the named members, quotes included", () => {
    expect(scan(' {"a":[1,{"model":"inner"}], "model" : "m\\n" ,"stream":true}\n')).toEqual({
      model: '"m\\n"',
      stream: "true",
    });
    expect(scan("{}")).toEqual({ model: undefined, stream: undefined });
  });

  it("reads escaped keys", () => {
    expect(scan('{"\\u006dod\\u0065l":"x"}')["model"]).toBe('"x"');
  });

  it.each([
    '{"model":1,"model":2}',
    '{"model":1,"\\u006dodel":2}',
    '{"stream":true,"a":{},"stream":true}',
  ])("refuses a repeated name: %s", (text) => {
    const { reason, key } = refusal(text);
    expect(reason).toBe("duplicate_key");
    expect(names).toContain(key);
  });

  it("lets other repeated keys pass, like the parsers behind it", () => {
    expect(scan('{"a":1,"a":2,"model":"m"}')["model"]).toBe('"m"');
  });

  it("does not take a prefix or a longer key for the name", () => {
    expect(scan('{"mode":1,"models":2,"Model":3}')).toEqual({
      model: undefined,
      stream: undefined,
    });
  });

  it.each([
    "",
    " ",
    "null",
    "[]",
    '"x"',
    "{",
    "}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,"a":1}',
    "{a:1}",
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1e}',
    '{"a":-}',
    '{"a":NaN}',
    '{"a":tru}',
    '{"a":nulL}',
    '{"a":[1,]}',
    '{"a":[1 2]}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":"\t"}',
    '{"a":"open',
    '{"a":"open\\',
    '{"a":1}}',
    '{"a":1} x',
    "{'a':1}",
    '{"a":1 /* c */}',
    "\u{feff}{}",
  ])("refuses the text %j", (text) => {
    expect(refusal(text).reason).toBe("syntax");
  });

  it("says where the text is broken", () => {
    expect(refusal('{"a":1,}').offset).toBe(7);
    expect(refusal('{"model":"x"} {').offset).toBe(14);
  });

  it.each([
    ['{"a":', "unexpected end, expected a value (byte 5)"],
    ['{"a":-', "unexpected end, expected a digit (byte 6)"],
    ['{"a":"x', "unexpected end, expected a closing quote (byte 7)"],
    ['{"a":1', "unexpected end, expected a comma or a closing brace (byte 6)"],
    ['{"a":x}', "expected a value (byte 5)"],
    ['{"a":1x', "expected a comma or a closing brace (byte 6)"],
  ])("says what is missing from %j", (text, message) => {
    expect(refusal(text).message).toBe(message);
  });

  it("says that a text ends too early wherever it is cut", () => {
    const text = '{"model":"m\\u00e9\\n","a":[1.5e-3,true,null,{"b":[]}],"stream":false}';
    for (let length = 0; length < text.length; length++) {
      expect(refusal(text.slice(0, length)).message).toMatch(/^unexpected end, /);
    }
  });

  it("refuses invalid UTF-8, overlong forms and surrogates included", () => {
    for (const bad of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x80]]) {
      const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bad), Buffer.from('"}')]);
      expect(refusal(bytes).reason).toBe("encoding");
    }
  });

  it("refuses deep nesting and takes what is just below", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(refusal(nested(256)).reason).toBe("depth");
    expect(refusal(`{"a":${"[".repeat(1_000_000)}`).reason).toBe("depth");
    expect(scan(nested(255))).toEqual({ model: undefined, stream: undefined });
  });

  it("sees a control character at every place of a long string", () => {
    for (let at = 0; at < 1200; at += 7) {
      for (const control of ["\n", "\0", "\u001f"]) {
        const text = `{"a":"${"é".repeat(at)}${control}${"x".repeat(1500)}","model":"m"}`;
        expect(refusal(text).reason).toBe("syntax");
      }
    }
  });

  it("reads long strings at every alignment", () => {
    for (let shift = 0; shift < 9; shift++) {
      for (const length of [1020, 1024, 1025, 1031, 17_000, 40_000]) {
        const text = `{"${"k".repeat(shift)}":"${"x".repeat(length)}\\"y","model":"m"}`;
        const padded = Buffer.from(" ".repeat(shift) + text).subarray(shift);
        expect(scan(padded)["model"]).toBe('"m"');
      }
    }
  });

  it("stays linear on long strings full of escapes", () => {
    expectLinear(1000, (size) => {
      const text = Buffer.from(`{"a":"${`${"x".repeat(1500)}\\n`.repeat(size)}","model":"m"}`);
      return () => expect(scan(text)["model"]).toBe('"m"');
    });
  });

  it("finds what JSON.parse finds in any object", () => {
    const member = fc.tuple(
      fc.oneof(fc.constantFrom("messages", "mode", "streams"), fc.string({ unit: "binary" })),
      fc.jsonValue({ maxDepth: 4 }),
    );
    const object = fc.record({
      before: fc.array(member),
      model: fc.string({ unit: "binary" }),
      stream: fc.boolean(),
      after: fc.array(member),
      space: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(object, ({ before, model, stream, after, space }) => {
        const others = [...before, ...after].filter(([key]) => !names.includes(key));
        const text = JSON.stringify({ ...Object.fromEntries(others), model, stream }, null, space);
        const bytes = Buffer.from(text);
        const [modelSpan, streamSpan] = validateAndFindMemberSpans(bytes, names);
        expect(modelSpan && decodeJsonString(bytes, modelSpan)).toBe(JSON.parse(text).model);
        expect(bytes.toString("utf8", streamSpan?.start, streamSpan?.end)).toBe(String(stream));
      }),
    );
  });

  it("accepts a text exactly when JSON.parse does", () => {
    const tokens = ["{", "}", "[", "]", ":", ",", '"', '"a"', "\\", "\\u00e9", "1", "-0.5e+3", "0"];
    const token = fc.constantFrom(...tokens, "true", "null", " ", "\n", "\u0001", "é", "e", ".");
    const soup = fc.array(token).map((parts) => Buffer.from(parts.join("")));
    const valid = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
    const edited = fc
      .tuple(valid, fc.nat(), fc.nat({ max: 3 }), fc.oneof(token, fc.constant("")))
      .map(([text, at, drop, insert]) => {
        const place = at % (text.length + 1);
        return Buffer.from(text.slice(0, place) + insert + text.slice(place + drop));
      });
    const raw = fc.uint8Array().map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(soup, edited, raw), (bytes) => {
        expect(accepts(bytes)).toBe(parsesAsObject(bytes));
      }),
      { numRuns: 3000 },
    );
  });

  /** Bodies are looked at in windows of this many bytes, each in vectors of sixteen. */
  const windowBytes = 64 * 1024;

  it.each([
    ["a quote", '","b":"'],
    ["an escape of two", String.raw`\n`],
    ["an escaped quote and more", String.raw`\"\\\"`],
    ["an escape of six", String.raw`\u00e9`],
    ["characters of many bytes", "é😀"],
    ["an unknown escape", String.raw`\x`],
    ["half an escape", String.raw`\u00`],
    ["a control character", "\u0001"],
    ["a control character behind a backslash", "\\\u0001"],
  ])("reads %s wherever a window ends", (_, middle) => {
    for (const size of [windowBytes, 2 * windowBytes, 16, 32]) {
      for (let before = size - 20; before <= size + 2; before++) {
        const text = `{"a":"${"x".repeat(Math.max(0, before))}${middle}${"y".repeat(40)}","model":"m"}`;
        const bytes = Buffer.from(text);
        expect(accepts(bytes)).toBe(parsesAsObject(bytes));
        if (accepts(bytes)) expect(scan(bytes)["model"]).toBe('"m"');
      }
    }
  });

  it("finds the same on a machine without vectors", async () => {
    vi.stubGlobal("WebAssembly", { validate: () => false });
    // With a query of its own the module is evaluated again.
    const url = new URL("../../../src/platform/speed/scan-buffer.ts?plain", import.meta.url);
    const plain = (await import(url.href)) as { JsonScanBuffer: typeof JsonScanBuffer };
    vi.unstubAllGlobals();
    const empty = Buffer.alloc(0);
    const afterPlain = (position: number) => new plain.JsonScanBuffer(empty).afterPlain(position);
    const scanPlainly = (bytes: Buffer) => {
      const spy = vi.spyOn(JsonScanBuffer.prototype, "afterPlain").mockImplementation(afterPlain);
      const spans = validateAndFindMemberSpans(bytes, names);
      spy.mockRestore();
      return spans;
    };
    expect(afterPlain(7)).toBe(7);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.json()), fc.string(), (members, model) => {
        const bytes = Buffer.from(JSON.stringify({ ...members, model }));
        expect(scanPlainly(bytes)).toEqual(validateAndFindMemberSpans(bytes, names));
      }),
    );
  });
});
