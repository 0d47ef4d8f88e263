import { ScalarType, type DescField } from "@bufbuild/protobuf";
import { invalidRequestError } from "../../platform/errors.ts";
import { readFieldValidationRules } from "../field-rules.ts";
import { createEnumDecoder, createScalarDecoder, type JsonValueDecoder } from "./decode-scalar.ts";
import { decodeRfc3339Timestamp } from "./timestamp.ts";

/** Turns the text of a path segment or a query parameter into the local value of a field. */
export type RequestParameterDecoder = (text: string, param: string) => unknown;

/**
 * The decoder of a field that stands in the path or the query; undefined for a
 * field whose type has no text form (messages, lists of them, maps).
 */
export function compileRequestParameterDecoder(
  field: DescField,
): RequestParameterDecoder | undefined {
  if (field.fieldKind === "map") return undefined;
  if (field.message?.typeName === "google.protobuf.Timestamp") return decodeRfc3339Timestamp;
  if (field.message !== undefined) return undefined;
  if (field.enum !== undefined)
    return createEnumDecoder(field.enum, readFieldValidationRules(field));
  const longAsString = "longAsString" in field && field.longAsString;
  return scalarTextDecoder(
    field.scalar,
    createScalarDecoder(field.scalar, readFieldValidationRules(field), longAsString),
  );
}

function scalarTextDecoder(type: ScalarType, decode: JsonValueDecoder): RequestParameterDecoder {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return decode;
    case ScalarType.BOOL:
      return (text, param) => decode(booleanOf(text, param), param);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return (text, param) => decode(numberOf(text, param), param);
    default:
      // What is no number is refused like one that is out of range: by the range.
      return (text, param) => decode(isNumber(text) ? Number(text) : Number.NaN, param);
  }
}

function booleanOf(text: string, param: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw invalidRequestError(param, `\`${param}\` must be true or false.`);
}

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}

function numberOf(text: string, param: string): number {
  if (isNumber(text)) return Number(text);
  throw invalidRequestError(param, `\`${param}\` must be a number.`);
}
