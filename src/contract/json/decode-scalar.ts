import { ScalarType, type DescEnum } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import type { FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import { listEnumChoices, getRestEnumNames } from "../enum-spelling.ts";
import { readIntegerBounds } from "../field-rules.ts";

/**
 * Turns one JSON value into the local value of a field, or throws a 400 that
 * names `path`, the dotted path of the value in the body.
 */
export type JsonValueDecoder = (json: unknown, path: string) => unknown;

/** The 400 of a value of the wrong type: says what was expected and what came. The empty path is the body itself. */
export function wrongJsonTypeError(path: string, expected: string, json: unknown): ApiError {
  const subject = path === "" ? "The body" : `\`${path}\``;
  const param = path === "" ? undefined : path;
  return new ApiError("invalid_request", `${subject} must be ${expected}, not ${nameOf(json)}.`, {
    param,
  });
}

function nameOf(json: unknown): string {
  if (json === null) return "null";
  if (Array.isArray(json)) return "an array";
  return typeof json === "object" ? "an object" : `a ${typeof json}`;
}

/** The decoder of a scalar type; strings are never taken for numbers nor numbers for strings. */
export function createScalarDecoder(
  type: ScalarType,
  rules: FieldRules | undefined,
  longAsString = false,
): JsonValueDecoder {
  switch (type) {
    case ScalarType.STRING:
      return decodeString;
    case ScalarType.BOOL:
      return decodeBoolean;
    case ScalarType.BYTES:
      return decodeBytes;
    case ScalarType.DOUBLE:
      return numberDecoder(Number.MAX_VALUE);
    case ScalarType.FLOAT:
      return numberDecoder(maxFloat);
    default:
      return integerDecoder(type, rules, longAsString);
  }
}

function decodeString(json: unknown, path: string): string {
  if (typeof json === "string") return json;
  throw wrongJsonTypeError(path, "a string", json);
}

function decodeBoolean(json: unknown, path: string): boolean {
  if (typeof json === "boolean") return json;
  throw wrongJsonTypeError(path, "true or false", json);
}

function decodeBytes(json: unknown, path: string): Uint8Array {
  if (typeof json !== "string") throw wrongJsonTypeError(path, "a base64 string", json);
  try {
    return base64Decode(json);
  } catch {
    throw invalidRequestError(path, `\`${path}\` must be base64.`);
  }
}

const maxFloat = 3.4028234663852886e38;

function numberDecoder(largest: number): JsonValueDecoder {
  return (json, path) => {
    if (typeof json !== "number") throw wrongJsonTypeError(path, "a number", json);
    if (Math.abs(json) <= largest) return json;
    throw invalidRequestError(path, `\`${path}\` is out of range.`);
  };
}

type Range = readonly [least: number, greatest: number];

/** 64-bit integers are JSON numbers, so they end where JSON numbers stop being exact. */
function integerRange(type: ScalarType): Range {
  switch (type) {
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return [0, 0xffffffff];
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return [0, Number.MAX_SAFE_INTEGER];
    default:
      return isLong(type)
        ? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
        : [-0x80000000, 0x7fffffff];
  }
}

function isLong(type: ScalarType): boolean {
  return [
    ScalarType.INT64,
    ScalarType.UINT64,
    ScalarType.SINT64,
    ScalarType.FIXED64,
    ScalarType.SFIXED64,
  ].some((long) => long === type);
}

/**
 * Takes what the type can hold: the rules are somebody else's to check. But what
 * it refuses it refuses by the limits of the contract, which say more to a caller
 * than those of a computer word.
 */
function integerDecoder(
  type: ScalarType,
  rules: FieldRules | undefined,
  asString: boolean,
): JsonValueDecoder {
  const [least, greatest] = integerRange(type);
  const allowed = { least, greatest, ...readIntegerBounds(rules) };
  const long = isLong(type);
  return (json, path) => {
    if (typeof json !== "number") throw wrongJsonTypeError(path, "a whole number", json);
    if (!Number.isInteger(json) || json < least || json > greatest) {
      const range = `${allowed.least.toString()} to ${allowed.greatest.toString()}`;
      throw invalidRequestError(path, `\`${path}\` must be a whole number from ${range}.`);
    }
    if (!long) return json;
    return asString ? String(json) : BigInt(json);
  };
}

/**
 * The decoder of an enum by its REST spelling, of those that the field takes;
 * names of the protocol and numbers are refused.
 */
export function createEnumDecoder(desc: DescEnum, rules: FieldRules): JsonValueDecoder {
  const { byName } = getRestEnumNames(desc);
  const choices = listEnumChoices(desc, rules);
  const list = choices.map((name) => `\`${name}\``).join(", ");
  return (json, path) => {
    if (typeof json !== "string") throw wrongJsonTypeError(path, "a string", json);
    const number = choices.includes(json) ? byName.get(json) : undefined;
    if (number !== undefined) return number;
    throw invalidRequestError(path, `\`${path}\` must be one of ${list}.`);
  };
}
