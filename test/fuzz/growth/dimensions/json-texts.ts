import { deepValues, longText, manyMembers, repeat } from "../document.ts";

/** JSON texts that grow, for arguments of tool calls; by the name of what grows. */
export const argumentTexts: Readonly<Record<string, (count: number) => string>> = {
  "long arguments": (count) => JSON.stringify({ a: longText(count) }),
  "escaped arguments": (count) => JSON.stringify({ a: longText(count, "\u0001") }),
  "wide arguments": (count) => JSON.stringify(manyMembers(count, "a")),
  "deep arguments": (count) => JSON.stringify({ a: deepValues(count) }),
  "exact numbers": (count) =>
    JSON.stringify({ a: repeat(count, () => 1) }).replaceAll("1", "12345678901234567890"),
  "broken arguments": (count) => `{"a":"${longText(count)}`,
  "white space": (count) => longText(count, " "),
};

/** JSON Schemas that grow; by the name of what grows. */
export const schemas: Readonly<Record<string, (count: number) => Record<string, unknown>>> = {
  "schema properties": (count) => ({
    type: "object",
    properties: manyMembers(count, "p", { type: "string" }),
    required: repeat(count, (index) => `p${index}`),
    additionalProperties: false,
  }),
  "schema references": (count) => ({
    type: "object",
    properties: manyMembers(count, "p", { $ref: "#/$defs/d" }),
    $defs: { d: { type: "object", properties: {}, additionalProperties: false } },
    additionalProperties: false,
  }),
  "schema definitions": (count) => ({
    type: "object",
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: Object.fromEntries(
      repeat(count, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
    ),
  }),
  "schema depth": (count) => ({ type: "object", properties: {}, anyOf: deepValues(count) }),
  "schema enum": (count) => ({
    type: "object",
    properties: { a: { enum: repeat(count, (index) => `e${index}`) } },
  }),
};
