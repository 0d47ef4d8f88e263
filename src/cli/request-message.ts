import {
  fromJson,
  ScalarType,
  type DescField,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import {
  listRequestFlagFields,
  findRequestUpdateMaskField,
  listRequestPathFields,
} from "./request-fields.ts";
import { findPresenceFlagField } from "../contract/field-policy.ts";

/**
 * The request that a parsed command line asks for. `flags` are commander's, by
 * JSON name of the field; false is what `--no-…` leaves. Throws for a value that
 * the field cannot hold, a number that is too large for instance.
 */
export function buildRequestFromFlags(
  method: DescMethod,
  pathValues: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): Message {
  const json: JsonObject = {};
  const emptied: DescField[] = [];
  for (const field of listRequestFlagFields(method)) {
    const given = flags[field.jsonName];
    if (given === false && !isFalseItself(field)) emptied.push(field);
    else if (given !== undefined) json[field.jsonName] = given as JsonValue;
  }
  const marks = emptied.length === 0 ? {} : emptyMarks(method, Object.keys(json), emptied);
  const path = listRequestPathFields(method).map((field, index) => [
    field.jsonName,
    pathValues[index] ?? "",
  ]);
  return fromJson(method.input, { ...Object.fromEntries(path), ...json, ...marks });
}

/** A boolean that is sent as false, unlike a field that shall have no value. */
function isFalseItself(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL;
}

/** Says which fields are empty on purpose: each by its own boolean, or all by the field mask. */
function emptyMarks(
  method: DescMethod,
  set: readonly string[],
  emptied: readonly DescField[],
): JsonObject {
  const mask = findRequestUpdateMaskField(method);
  if (mask !== undefined) {
    return { [mask.jsonName]: [...set, ...emptied.map((field) => field.jsonName)].join(",") };
  }
  return Object.fromEntries(
    emptied.map((field) => [findPresenceFlagField(field)?.jsonName ?? "", true]),
  );
}
