import { ScalarType, type DescField, type DescMethod, type JsonValue } from "@bufbuild/protobuf";
import { InvalidArgumentError, Option, type Command } from "commander";
import { readProtoCommentSummary } from "../contract/comments.ts";
import { getRestEnumNames } from "../contract/enum-spelling.ts";
import { readRestFieldPolicy } from "../contract/field-policy.ts";
import { fieldToFlagName } from "./command-name.ts";
import {
  hasSecretField,
  isTimestampMessage,
  formatJsonShapeHint,
  parseMapFlagEntry,
  parseFlagValue,
} from "./flag-value.ts";
import {
  isClearableRequestField,
  listRequestFlagFields,
  listRequestPathFields,
} from "./request-fields.ts";

/** Adds one argument per path field and one flag per other field of the request. */
export function addRequestFlags(command: Command, method: DescMethod): void {
  for (const field of listRequestPathFields(method)) {
    command.argument(`<${fieldToFlagName(field.name)}>`, readProtoCommentSummary(fullName(field)));
  }
  for (const field of listRequestFlagFields(method)) addRequestFieldFlag(command, method, field);
}

/** Adds the flag of one field of the request. */
export function addRequestFieldFlag(command: Command, method: DescMethod, field: DescField): void {
  command.addOption(valueFlag(command, field));
  if (isClearableRequestField(method, field)) command.addOption(emptyFlag(field));
}

/** `--scopes <value>`: its parsed value is the field's proto JSON. */
function valueFlag(command: Command, field: DescField): Option {
  const option = new Option(
    `--${fieldToFlagName(field.name)} ${placeholder(field)}`,
    description(field),
  );
  if (isBoolean(field)) option.preset("true");
  if (field.enum !== undefined) option.choices(getRestEnumNames(field.enum).names);
  if (readRestFieldPolicy(field).required) option.makeOptionMandatory();
  const parse = parserOf(field);
  return option.argParser(hasSecretField(field) ? discreetParser(command, field, parse) : parse);
}

/** `--no-scopes`: the field is sent, and is empty. Its parsed value is false. */
function emptyFlag(field: DescField): Option {
  const isCollection = field.fieldKind === "list" || field.fieldKind === "map";
  const meaning = isCollection ? "sets it to an empty one" : "takes its value away";
  return new Option(`--no-${fieldToFlagName(field.name)}`, meaning);
}

type FlagParser = (text: string, previous: unknown) => JsonValue;

/** Refuses the text of a secret without quoting it, as commander and the parser of JSON do. */
function discreetParser(command: Command, field: DescField, parse: FlagParser): FlagParser {
  return (text, previous) => {
    try {
      return parse(text, previous);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      const form =
        field.message === undefined
          ? error.message
          : `It must be ${formatJsonShapeHint(field.message)}.`;
      return command.error(`error: --${fieldToFlagName(field.name)} is invalid. ${form}`);
    }
  };
}

/** A flag of a list or a map is repeated; the parser gets what came before. */
function parserOf(field: DescField): FlagParser {
  switch (field.fieldKind) {
    case "list":
      return (text, previous) => [
        ...(Array.isArray(previous) ? previous : []),
        parseFlagValue(field, text),
      ];
    case "map":
      return (text, previous) => {
        const [name, value] = parseMapFlagEntry(field, text);
        return { ...(typeof previous === "object" ? previous : {}), [name]: value };
      };
    default:
      return (text) => parseFlagValue(field, text);
  }
}

function placeholder(field: DescField): string {
  if (isBoolean(field)) return "[true|false]";
  if (field.fieldKind === "map") return "<name=value>";
  if (field.message !== undefined) return isTimestampMessage(field.message) ? "<time>" : "<json>";
  if (field.enum !== undefined) return "<word>";
  return field.scalar === ScalarType.STRING ? "<text>" : "<number>";
}

/** The contract's own words, and what the command line adds to them. */
function description(field: DescField): string {
  const notes = [readProtoCommentSummary(fullName(field))];
  if (field.message !== undefined && !isTimestampMessage(field.message))
    notes.push(formatJsonShapeHint(field.message));
  if (field.fieldKind === "list" || field.fieldKind === "map") notes.push("may be repeated");
  if (hasSecretField(field) && field.fieldKind !== "list" && field.fieldKind !== "map")
    notes.push("`-` reads it from stdin");
  if (readRestFieldPolicy(field).required) notes.push("required");
  return notes.filter((note) => note !== "").join("; ");
}

function fullName(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`;
}

function isBoolean(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL;
}
