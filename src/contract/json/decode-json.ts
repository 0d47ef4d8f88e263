import { fromJson, type JsonObject, type JsonValue, type Message } from "@bufbuild/protobuf";
import { ListValueSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { wrongJsonTypeError } from "./decode-scalar.ts";

/** Foreign JSON for a `google.protobuf.Struct` field, which holds the object as it is. */
export function decodeProtoStruct(json: unknown, path: string): JsonObject {
  if (isProtobufJsonObject(json)) return json;
  throw wrongJsonTypeError(path, "an object", json);
}

/** Any JSON, null included, for a `google.protobuf.Value` field. */
export function decodeProtoValue(json: unknown): Message {
  return fromJson(ValueSchema, json as JsonValue);
}

/** A JSON array for a `google.protobuf.ListValue` field. */
export function decodeProtoListValue(json: unknown, path: string): Message {
  if (!Array.isArray(json)) throw wrongJsonTypeError(path, "an array", json);
  return fromJson(ListValueSchema, json as JsonValue);
}

/** Whether a value is a JSON object, neither null nor an array. */
export function isProtobufJsonObject(json: unknown): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
