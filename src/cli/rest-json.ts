import {
  getOption,
  ScalarType,
  toJson,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { field as fieldPolicy } from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { enumWord } from "./enum-words.ts";

/** A message as REST prints it: proto field names, enum words, times with milliseconds. */
export function restJson(desc: DescMessage, message: Message): JsonObject {
  const json = toJson(desc, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
  return isObject(json) ? messageJson(desc, json) : {};
}

/** Whether a JSON value is an object; lists and null are not. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function messageJson(desc: DescMessage, json: JsonObject): JsonObject {
  // A `Struct`, for instance, is JSON already.
  if (desc.typeName.startsWith("google.")) return json;
  const members = desc.fields.flatMap((field) => {
    const value = fieldJson(field, json[field.name]);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(members);
}

/** Undefined leaves the field out. */
function fieldJson(field: DescField, json: JsonValue | undefined): JsonValue | undefined {
  const { constant, nullable, omitEmpty, presenceOf } = getOption(field, fieldPolicy);
  if (constant !== "") return constant;
  if (presenceOf !== "") return undefined;
  const value = json === undefined ? undefined : wholeJson(field, json);
  const isLeftOut = value === undefined || (omitEmpty && isEmpty(value));
  if (!isLeftOut) return value;
  return nullable ? null : undefined;
}

function wholeJson(field: DescField, json: JsonValue): JsonValue | undefined {
  if (field.fieldKind === "list" && Array.isArray(json)) {
    return json.map((item) => singleJson(field, item) ?? null);
  }
  if (field.fieldKind === "map" && isObject(json)) {
    const entries = Object.entries(json).map(
      ([name, item]) => [name, singleJson(field, item) ?? null] as const,
    );
    return Object.fromEntries(entries);
  }
  return singleJson(field, json);
}

function singleJson(field: DescField, json: JsonValue): JsonValue | undefined {
  if (field.message !== undefined && isObject(json)) return messageJson(field.message, json);
  if (typeof json !== "string") return json;
  if (field.enum !== undefined) return enumWord(field.enum, json);
  if (field.message?.typeName === "google.protobuf.Timestamp") return new Date(json).toISOString();
  return isLong(field.scalar) ? Number(json) : json;
}

/** Proto JSON has 64-bit integers as text. */
function isLong(scalar: ScalarType | undefined): boolean {
  return scalar !== undefined && longTypes.has(scalar);
}

const longTypes = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);

function isEmpty(value: JsonValue): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === 0 || value === "" || value === false;
}
