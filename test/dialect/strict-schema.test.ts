import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/dialect/json.ts";
import {
  isStrictChatSchema,
  reduceToMessagesStrictSchema,
} from "../../src/dialect/strict-schema.ts";

const closed = { type: "object", additionalProperties: false };

describe("toStrictSchema()", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["constants and choices stay", { const: "a" }, { const: "a" }],
    [
      "type and enum stay together",
      { type: "string", enum: ["a"] },
      { type: "string", enum: ["a"] },
    ],
    [
      "one of is any of",
      { oneOf: [{ type: "null" }, { type: "string", maxLength: 3 }] },
      { anyOf: [{ type: "null" }, { type: "string", description: "{maxLength: 3}" }] },
    ],
    ["all of stays", { allOf: [{ type: "string" }] }, { allOf: [{ type: "string" }] }],
    [
      "bounds go behind the description",
      { type: "integer", minimum: 1, maximum: 9, description: "Size." },
      { type: "integer", description: "Size.\n\n{minimum: 1, maximum: 9}" },
    ],
    [
      "a known form of text stays",
      { type: "string", format: "uri" },
      { type: "string", format: "uri" },
    ],
    [
      "another goes into the description",
      { type: "string", format: "color" },
      { type: "string", description: '{format: "color"}' },
    ],
    [
      "at least one item stays, more do not",
      { type: "array", items: { type: "array", minItems: 2 }, minItems: 1 },
      { type: "array", items: { type: "array", description: "{minItems: 2}" }, minItems: 1 },
    ],
    [
      "an object is closed, what is required stays",
      { type: "object", properties: { a: {}, b: {} }, required: ["a"], additionalProperties: true },
      { ...closed, properties: { a: {}, b: {} }, required: ["a"] },
    ],
    [
      "a map of values is described",
      { type: "object", additionalProperties: { type: "number" } },
      { ...closed, description: '{additionalProperties: {"type":"number"}}' },
    ],
    [
      "properties make an object",
      { properties: { a: { type: "string" } } },
      { properties: { a: { type: "string" } }, ...closed },
    ],
    [
      "a property may be called like a keyword",
      { ...closed, properties: { minimum: { type: "string" }, oneOf: { type: "null" } } },
      { ...closed, properties: { minimum: { type: "string" }, oneOf: { type: "null" } } },
    ],
    [
      "beside a reference there are only definitions",
      { $ref: "#/$defs/a", description: "x", $defs: { a: { type: "string", minLength: 1 } } },
      { $ref: "#/$defs/a", $defs: { a: { type: "string", description: "{minLength: 1}" } } },
    ],
    [
      "the older word for definitions is one, too",
      { definitions: { a: { type: "object" } }, anyOf: [{ $ref: "#/definitions/a" }] },
      { definitions: { a: closed }, anyOf: [{ $ref: "#/definitions/a" }] },
    ],
    ["its own dialect is not told", { $schema: "x", type: "string" }, { type: "string" }],
    [
      "true and false stay",
      { ...closed, properties: { a: true } },
      { ...closed, properties: { a: true } },
    ],
  ])("%s", (_name, schema, reduced) => {
    expect(reduceToMessagesStrictSchema(schema).schema).toEqual(reduced);
    expect(
      reduceToMessagesStrictSchema({ ...reduced, $schema: "x" }).isChanged,
      "with its dialect",
    ).toBe(false);
    expect(reduceToMessagesStrictSchema(reduced), "reduced twice").toEqual({
      schema: reduced,
      isChanged: false,
    });
  });

  it("tells whether anything changed", () => {
    expect(reduceToMessagesStrictSchema({ type: "string" }).isChanged).toBe(false);
    expect(reduceToMessagesStrictSchema({ type: "string", minLength: 1 }).isChanged).toBe(true);
    expect(reduceToMessagesStrictSchema({ type: "object", properties: {} }).isChanged).toBe(true);
  });

  it("keeps the order of the keys, for equal bytes", () => {
    const schema = { ...closed, required: ["b", "a"], properties: { b: {}, a: {} } };
    expect(JSON.stringify(reduceToMessagesStrictSchema(schema).schema)).toBe(
      JSON.stringify(schema),
    );
  });
});

describe("isStrictChatSchema()", () => {
  const strict = { ...closed, properties: { a: { type: "string" } }, required: ["a"] };

  it.each<[string, JsonObject, boolean]>([
    ["all required and closed", strict, true],
    ["no object at all", { type: "string" }, true],
    ["an optional property", { ...strict, required: [] }, false],
    ["an open object", { ...strict, additionalProperties: undefined }, false],
    ["an open object inside", { ...strict, properties: { a: { type: "object" } } }, false],
    ["an open object among items", { type: "array", items: { type: "object" } }, false],
    ["an open object among choices", { anyOf: [strict, { type: "object" }] }, false],
    ["an open definition", { ...strict, $defs: { x: { type: "object" } } }, false],
    ["an object or nothing, open", { type: ["object", "null"] }, false],
  ])("tells whether a schema can be strict: %s, %j", (_name, schema, isStrict) => {
    expect(isStrictChatSchema(schema)).toBe(isStrict);
  });
});
