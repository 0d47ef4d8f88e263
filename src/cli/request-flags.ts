import type { DescEnum, DescField, DescMethod } from "@bufbuild/protobuf";
import {
  getOption,
  hasOption,
  ScalarType,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { Option, type Command } from "commander";
import {
  field as fieldPolicy,
  value as valuePolicy,
} from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { http } from "../../gen/ts/google/api/annotations_pb.ts";
import { flagName } from "./command-name.ts";

/** Fields that the request's path names, in path order: they are the command's arguments. */
export function pathFields(method: DescMethod): DescField[] {
  const { pattern } = getOption(method, http);
  const template = typeof pattern.value === "string" ? pattern.value : "";
  const names = [...template.matchAll(/\{(\w+)/g)].map(([, name]) => name);
  return names.flatMap((name) => method.input.fields.find((field) => field.name === name) ?? []);
}

/** Adds one argument per path field and one flag per other field of the request. */
export function addRequestFlags(command: Command, method: DescMethod): void {
  const path = new Set(pathFields(method));
  for (const field of path) command.argument(`<${flagName(field.name)}>`);
  for (const field of method.input.fields) {
    if (path.has(field) || isFieldMask(field)) continue;
    const list = presenceOf(field);
    command.addOption(list === undefined ? flagOf(field) : noneFlag(list));
  }
}

/** The request as proto JSON, from what commander parsed. Throws for JSON or enum words that are none. */
export function requestJson(
  method: DescMethod,
  pathValues: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): JsonObject {
  const request: JsonObject = {};
  for (const [index, field] of pathFields(method).entries()) {
    request[field.jsonName] = pathValues[index] ?? "";
  }
  for (const field of method.input.fields) {
    const list = presenceOf(field);
    const given = flags[list?.jsonName ?? field.jsonName];
    if (given === undefined) continue;
    request[field.jsonName] = list === undefined ? jsonOf(field, given) : true;
  }
  return request;
}

/** The list that a boolean vouches for, `scopes` for `scopes_given`. */
function presenceOf(field: DescField): DescField | undefined {
  const name = getOption(field, fieldPolicy).presenceOf;
  return name === "" ? undefined : field.parent.fields.find((sibling) => sibling.name === name);
}

/** `--no-scopes`: the list is sent, and is empty. */
function noneFlag(list: DescField): Option {
  return new Option(`--no-${flagName(list.name)}`, `send an empty list of ${list.name}`);
}

function flagOf(field: DescField): Option {
  const name = flagName(field.name);
  if (isBoolean(field)) return new Option(`--${name} [true|false]`).preset("true");
  const option = new Option(`--${name} <${placeholder(field)}>`);
  if (field.fieldKind === "list" || field.fieldKind === "map") {
    option.argParser((value: string, previous: string[] | undefined) => [
      ...(previous ?? []),
      value,
    ]);
  }
  if (field.fieldKind === "enum") option.choices(enumWords(field.enum));
  return option;
}

function placeholder(field: DescField): string {
  if (field.fieldKind === "map") return "name=value";
  if (field.message?.typeName === "google.protobuf.Timestamp") return "time";
  return field.fieldKind === "message" ||
    (field.fieldKind === "list" && field.listKind === "message")
    ? "json"
    : "value";
}

function jsonOf(field: DescField, given: unknown): JsonValue {
  if (given === false) return [];
  switch (field.fieldKind) {
    case "list":
      return (given as string[]).map((text) => singularJson(field, text));
    case "map":
      return Object.fromEntries((given as string[]).map(splitPair));
    default:
      return singularJson(field, String(given));
  }
}

function singularJson(field: DescField, text: string): JsonValue {
  if (field.enum !== undefined) return enumName(field.enum, text);
  if (field.message !== undefined && field.fieldKind !== "map")
    return messageJson(field.message.typeName, text);
  return isBoolean(field) ? text === "true" : text;
}

/** Timestamps are text in proto JSON, other messages are typed as JSON. */
function messageJson(typeName: string, text: string): JsonValue {
  return typeName === "google.protobuf.Timestamp" ? text : (JSON.parse(text) as JsonValue);
}

function splitPair(pair: string): [string, string] {
  const separator = pair.indexOf("=");
  if (separator < 1) throw new Error(`"${pair}" must be name=value.`);
  return [pair.slice(0, separator), pair.slice(separator + 1)];
}

/** The words of an enum as REST spells them, which the command line takes too. */
export function enumWords(desc: DescEnum): string[] {
  return desc.values
    .filter(({ number }) => number !== 0)
    .map((value) => enumWord(desc, value.number));
}

/** The REST spelling of a value. */
export function enumWord(desc: DescEnum, number: number): string {
  const value = desc.value[number];
  if (value === undefined) return String(number);
  if (hasOption(value, valuePolicy)) {
    const { restName } = getOption(value, valuePolicy);
    if (restName !== "") return restName;
  }
  return value.name.slice((desc.sharedPrefix ?? "").length).toLowerCase();
}

function enumName(desc: DescEnum, word: string): string {
  return desc.values.find(({ number }) => enumWord(desc, number) === word)?.name ?? word;
}

function isBoolean(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL;
}

function isFieldMask(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.FieldMask";
}
