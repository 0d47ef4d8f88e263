import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonPicker } from "../../../src/platform/json-stream/json-picker.ts";
import {
  wholeMembersProjection,
  type JsonProjection,
} from "../../../src/platform/json-stream/json-shape.ts";

function pick(text: string, shape: JsonProjection, chunkSize = 1 << 16, limit = 1 << 20): unknown {
  const picker = new JsonPicker(shape, limit);
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += chunkSize) {
    picker.push(bytes.subarray(start, start + chunkSize));
  }
  return picker.end();
}

const packument: JsonProjection = {
  members: {
    name: "whole",
    time: "whole",
    versions: { each: wholeMembersProjection("deprecated") },
  },
};

describe("JsonPicker", () => {
  it.each([1, 2, 3, 7, 1 << 16])("picks the wanted parts from chunks of %i bytes", (size) => {
    const text = JSON.stringify({
      readme: 'not "wanted" \\ {[',
      name: "täst",
      versions: {
        "1.0.0": { deprecated: "use é", dist: { a: [1, { b: "]" }] } },
        "2.0.0": { scripts: {} },
      },
      time: { "1.0.0": "2020-01-01T00:00:00Z" },
      n: -1.5e3,
    });
    expect(pick(text, packument, size)).toEqual({
      name: "täst",
      versions: { "1.0.0": { deprecated: "use é" }, "2.0.0": {} },
      time: { "1.0.0": "2020-01-01T00:00:00Z" },
    });
  });

  it("takes any document whole as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(pick(text, "whole", size)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("builds any document element by element as JSON.parse does", () => {
    const deep: JsonProjection = { each: { each: { each: "whole" } } };
    const value = fc.array(fc.dictionary(fc.string(), fc.array(fc.jsonValue())));
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 9 }), (document, size) => {
        const text = JSON.stringify(document, null, 1);
        expect(JSON.stringify(pick(text, deep, size))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it("refuses a document that breaks off, wherever it does", () => {
    const text = JSON.stringify({ name: "a", versions: { "1.0.0": { deprecated: true } } });
    for (let length = 0; length < text.length; length++) {
      expect(() => pick(text.slice(0, length), packument)).toThrow(/broken off|not JSON/);
    }
  });

  it.each(["<html></html>", "{]", '{"name" 1}', '{"name":}', "{} {}", '{"name": tru}', "]", "{,}"])(
    "refuses %s",
    (text) => {
      expect(() => pick(text, packument)).toThrow(/not JSON|broken off/);
    },
  );

  it("passes over a container where another was meant, and keeps a scalar", () => {
    const shape: JsonProjection = {
      members: { a: wholeMembersProjection("b"), c: { each: "whole" } },
    };
    expect(pick('{"a": [1, {"b": 2}], "c": 3}', shape)).toEqual({ c: 3 });
    expect(pick('{"versions": null}', packument)).toEqual({ versions: null });
  });

  it("gives no key a meaning", () => {
    const picked = pick('{"versions": {"__proto__": {"deprecated": "x"}}}', packument);
    expect(Object.keys((picked as { versions: object }).versions)).toEqual(["__proto__"]);
    expect(({} as { deprecated?: string }).deprecated).toBeUndefined();
  });

  it.each([1, 2, 5, 1 << 16])("hands over the items of a list from chunks of %i bytes", (size) => {
    const items = ['{"a": "\\"]é"}', "[1, [2]]", '"x"', "-1.5", "true", "{}"];
    const text = `{"b": [0], "list": [ ${items.join(" ,")}], "c": {"list": [9]}}`;
    const handed: [string, number][] = [];
    const shape: JsonProjection = {
      members: { list: { items: (bytes, offset) => handed.push([bytes.toString(), offset]) } },
    };
    expect(pick(text, shape, size)).toEqual({ list: [] });
    const offsets = items.map((item) => Buffer.byteLength(text.slice(0, text.indexOf(item))));
    expect(handed).toEqual(items.map((item, index) => [item, offsets[index]]));
  });

  it("hands nothing over of what is no list, and bounds each item", () => {
    const handed: string[] = [];
    const shape: JsonProjection = { items: (bytes) => handed.push(bytes.toString()) };
    expect(pick('{"a": 1}', shape)).toBeUndefined();
    const longest = JSON.stringify("x".repeat(98));
    expect(pick(`[${longest}, ${longest}, 7]`, shape, 3, 100)).toEqual([]);
    expect(handed).toEqual([longest, longest, "7"]);
    expect(() => pick(`[${JSON.stringify("x".repeat(99))}]`, shape, 3, 100)).toThrow("too large");
  });

  it("bounds what is picked, not what is read", () => {
    const text = JSON.stringify({ readme: "x".repeat(5000), name: "y".repeat(2000) });
    expect(pick(text, wholeMembersProjection("missing"), 100, 1000)).toEqual({});
    expect(() => pick(text, wholeMembersProjection("name"), 100, 1000)).toThrow("too large");
  });

  it.each<[string, string, JsonProjection]>([
    ["empty objects, each picked", "{}", { each: wholeMembersProjection("a") }],
    ["empty objects, taken whole", "{}", "whole"],
    ["empty lists, taken whole", "[]", "whole"],
    ["numbers, taken whole", "1", "whole"],
    ["numbers, each picked", "1", { each: "whole" }],
    ["objects, passed over", "{}", { each: { each: "whole" } }],
  ])("counts more than their text for %s", (_what, value, shape) => {
    const text = `[${Array.from({ length: 1000 }, () => value).join(",")}]`;
    expect(pick(text, shape, 100)).toHaveLength(1000);
    expect(() => pick(text, shape, 100, 60_000)).toThrow("too large");
  });

  it("counts nothing for members that are passed over", () => {
    const members = Array.from({ length: 1000 }, (_, index) => `"k${index}": [{}, 1]`);
    const text = `{${members.join(",")}, "name": 1}`;
    expect(pick(text, wholeMembersProjection("name"), 100, 10_000)).toEqual({ name: 1 });
  });
});
