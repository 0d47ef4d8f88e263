import { readFileSync } from "node:fs";
import {
  fromJson,
  ScalarType,
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { InvalidArgumentError } from "commander";
import { getRestEnumNames } from "../contract/enum-spelling.ts";
import { readRestFieldPolicy } from "../contract/field-policy.ts";
import { isProtobufJsonObject } from "../contract/json/decode-json.ts";

/**
 * Reads the text of a flag as proto JSON of one value of the field: an item of
 * a list, a value of a map, else the whole. Throws commander's
 * `InvalidArgumentError`, which becomes a usage error that names the flag.
 */
export function parseFlagValue(field: DescField, typed: string): JsonValue {
  const text = typed === "-" && hasSecretField(field) ? readFileSync(0, "utf8").trim() : typed;
  if (field.enum !== undefined) return readWord(field.enum, text);
  if (field.message !== undefined) return readMessage(field.message, text);
  if (field.scalar === ScalarType.BOOL) return readBoolean(text);
  if (field.scalar !== ScalarType.STRING) return readNumber(field.scalar, text);
  return text;
}

/** Reads `name=value`, the text of a map's flag. */
export function parseMapFlagEntry(
  field: DescField,
  text: string,
): [name: string, value: JsonValue] {
  const separator = text.indexOf("=");
  if (separator < 1) throw new InvalidArgumentError("It must be name=value.");
  return [text.slice(0, separator), parseFlagValue(field, text.slice(separator + 1))];
}

/** Whether the field holds what nobody else may see, such as an API key. */
export function isSecretProtoField(field: DescField): boolean {
  return readRestFieldPolicy(field).secret;
}

/** Whether the field is a secret or one of its members is: it need not be typed on the command line. */
export function hasSecretField(field: DescField): boolean {
  return isSecretProtoField(field) || (field.message?.fields.some(isSecretProtoField) ?? false);
}

/** Whether the message is a point in time, which is typed as text rather than JSON. */
export function isTimestampMessage(desc: DescMessage): boolean {
  return desc.typeName === "google.protobuf.Timestamp";
}

function readWord(desc: DescEnum, text: string): number {
  const { byName, names } = getRestEnumNames(desc);
  const number = byName.get(text);
  if (number !== undefined) return number;
  throw new InvalidArgumentError(`It must be one of ${names.join(", ")}.`);
}

function readBoolean(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("It must be true or false.");
}

/** As text, which proto JSON takes for every number and which keeps 64 bits exact. */
function readNumber(type: ScalarType, text: string): string {
  const isFraction = type === ScalarType.DOUBLE || type === ScalarType.FLOAT;
  const form = isFraction ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
  if (form.test(text)) return text;
  throw new InvalidArgumentError(`It must be a ${isFraction ? "" : "whole "}number.`);
}

function readMessage(desc: DescMessage, text: string): JsonValue {
  return isTimestampMessage(desc) ? readTime(text) : readJson(desc, text);
}

function readTime(text: string): string {
  const milliseconds = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(milliseconds)) return new Date(milliseconds).toISOString();
  throw new InvalidArgumentError("It must be a time such as 2026-11-20 or 2026-11-20T23:00:00Z.");
}

function readJson(desc: DescMessage, text: string): JsonValue {
  try {
    const json = withEnumNumbers(desc, JSON.parse(text) as JsonValue);
    fromJson(desc, json);
    return json;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidArgumentError(`It must be ${formatJsonShapeHint(desc)}: ${reason}.`);
  }
}

/** How the JSON of a message looks: `{"limit_usd": …, "window": day|month|total}`. */
export function formatJsonShapeHint(desc: DescMessage): string {
  if (desc.typeName === "google.protobuf.Struct") return "a JSON object";
  const members = desc.fields.map((field) => {
    const value = field.enum === undefined ? "…" : getRestEnumNames(field.enum).names.join("|");
    return `"${field.name}": ${value}`;
  });
  return `{${members.join(", ")}}`;
}

/** Proto JSON does not know the words that REST has for enum values. */
function withEnumNumbers(desc: DescMessage, json: JsonValue): JsonValue {
  if (!isProtobufJsonObject(json)) return json;
  const numbered: JsonObject = { ...json };
  for (const field of desc.fields) {
    const value = json[field.name];
    if (value !== undefined) numbered[field.name] = withEnumNumbersIn(field, value);
  }
  return numbered;
}

function withEnumNumbersIn(field: DescField, json: JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withEnumNumbersIn(field, item));
  if (field.message !== undefined) return withEnumNumbers(field.message, json);
  if (field.enum === undefined || typeof json !== "string") return json;
  return getRestEnumNames(field.enum).byName.get(json) ?? json;
}
