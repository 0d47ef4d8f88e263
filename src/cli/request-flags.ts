import { ScalarType, type DescField, type DescMethod, type JsonValue } from "@bufbuild/protobuf";
import { Option, type Command } from "commander";
import { summaryOf } from "../contract/comments.ts";
import { enumSpelling } from "../contract/enum-spelling.ts";
import { fieldPolicy } from "../contract/field-policy.ts";
import { flagName } from "./command-name.ts";
import { holdsSecret, isTime, jsonForm, readPair, readValue } from "./flag-value.ts";
import { canBeEmptied, flagFields, pathFields } from "./request-fields.ts";

/** Adds one argument per path field and one flag per other field of the request. */
export function addRequestFlags(command: Command, method: DescMethod): void {
  for (const field of pathFields(method)) {
    command.argument(`<${flagName(field.name)}>`, summaryOf(fullName(field)));
  }
  for (const field of flagFields(method)) addFlag(command, method, field);
}

/** Adds the flag of one field of the request. */
export function addFlag(command: Command, method: DescMethod, field: DescField): void {
  command.addOption(valueFlag(field));
  if (canBeEmptied(method, field)) command.addOption(emptyFlag(field));
}

/** `--scopes <value>`: its parsed value is the field's proto JSON. */
function valueFlag(field: DescField): Option {
  const option = new Option(`--${flagName(field.name)} ${placeholder(field)}`, description(field));
  if (isBoolean(field)) option.preset("true");
  if (field.enum !== undefined) option.choices(enumSpelling(field.enum).names);
  if (fieldPolicy(field).required) option.makeOptionMandatory();
  return option.argParser(parserOf(field));
}

/** `--no-scopes`: the field is sent, and is empty. Its parsed value is false. */
function emptyFlag(field: DescField): Option {
  const isCollection = field.fieldKind === "list" || field.fieldKind === "map";
  const meaning = isCollection ? "sets it to an empty one" : "takes its value away";
  return new Option(`--no-${flagName(field.name)}`, meaning);
}

/** A flag of a list or a map is repeated; the parser gets what came before. */
function parserOf(field: DescField): (text: string, previous: unknown) => JsonValue {
  switch (field.fieldKind) {
    case "list":
      return (text, previous) => [
        ...(Array.isArray(previous) ? previous : []),
        readValue(field, text),
      ];
    case "map":
      return (text, previous) => {
        const [name, value] = readPair(field, text);
        return { ...(typeof previous === "object" ? previous : {}), [name]: value };
      };
    default:
      return (text) => readValue(field, text);
  }
}

function placeholder(field: DescField): string {
  if (isBoolean(field)) return "[true|false]";
  if (field.fieldKind === "map") return "<name=value>";
  if (field.message !== undefined) return isTime(field.message) ? "<time>" : "<json>";
  if (field.enum !== undefined) return "<word>";
  return field.scalar === ScalarType.STRING ? "<text>" : "<number>";
}

/** The contract's own words, and what the command line adds to them. */
function description(field: DescField): string {
  const notes = [summaryOf(fullName(field))];
  if (field.message !== undefined && !isTime(field.message)) notes.push(jsonForm(field.message));
  if (field.fieldKind === "list" || field.fieldKind === "map") notes.push("may be repeated");
  if (holdsSecret(field) && field.fieldKind !== "list" && field.fieldKind !== "map")
    notes.push("`-` reads it from stdin");
  if (fieldPolicy(field).required) notes.push("required");
  return notes.filter((note) => note !== "").join("; ");
}

function fullName(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`;
}

function isBoolean(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL;
}
