import {
  ScalarType,
  toJson,
  type DescEnum,
  type DescField,
  type DescMessage,
} from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { FeatureSet_FieldPresence, type Timestamp } from "@bufbuild/protobuf/wkt";
import { getRestEnumNames } from "../enum-spelling.ts";
import { findPresenceFlagField, readRestFieldPolicy } from "../field-policy.ts";
import {
  asProtoMessage,
  asProtoMessageRecord,
  type ProtoMessageRecord,
} from "../message-record.ts";
import { encodeTimestamp } from "./timestamp.ts";

/** Turns the local value of a field into what JSON.stringify prints; undefined leaves the member out. */
export type ProtoJsonEncoder = (value: unknown) => unknown;

type PrintField = (record: ProtoMessageRecord, json: Record<string, unknown>) => void;

const messageEncoders = new WeakMap<DescMessage, ProtoJsonEncoder>();

/**
 * The encoder of a message, compiled once from its descriptor: members under
 * their proto names (snake_case) in declaration order, 64-bit integers as
 * numbers, enums by their REST spelling, times in UTC with milliseconds. What
 * has no value is left out, or null where the field's option says so. So is an
 * empty list whose boolean does not vouch for it.
 */
export function compileProtoJsonEncoder(desc: DescMessage): ProtoJsonEncoder {
  const known = messageEncoders.get(desc) ?? wellKnownEncoder(desc);
  if (known !== undefined) return known;
  if (desc.typeName.startsWith("google.") && desc.fields.length > 0) {
    throw new Error(`${desc.typeName} has no REST form in an answer`);
  }
  const printers: PrintField[] = [];
  const encode: ProtoJsonEncoder = (value) => {
    const record = asProtoMessageRecord(asProtoMessage(value));
    const json: Record<string, unknown> = {};
    for (const print of printers) print(record, json);
    return json;
  };
  // Registered before its fields are compiled, for types that contain themselves.
  messageEncoders.set(desc, encode);
  const printed = desc.fields.filter((field) => readRestFieldPolicy(field).presenceOf === "");
  printers.push(...printed.map(fieldPrinter));
  return encode;
}

function wellKnownEncoder(desc: DescMessage): ProtoJsonEncoder | undefined {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return (value) => encodeTimestamp(value as Timestamp);
    case "google.protobuf.Struct": // Held as plain JSON in fields.
      return (value) => value;
    case "google.protobuf.Value":
    case "google.protobuf.ListValue":
      return (value) => toJson(desc, asProtoMessage(value));
    default:
      return undefined;
  }
}

function fieldPrinter(field: DescField): PrintField {
  const { nullable, omitEmpty, constant } = readRestFieldPolicy(field);
  if (constant !== "") {
    return (_record, json) => {
      json[field.name] = constant;
    };
  }
  if (nullable) assertCanBeNull(field);
  const read = nullable ? nullableFieldReader(field) : fieldReader(field);
  const encode = compileFieldEncoder(field);
  const isEmpty = omitEmpty ? isEmptyValue : isUndefined;
  return (record, json) => {
    const value = read(record);
    const printed = isEmpty(value) ? undefined : encode(value);
    if (printed !== undefined) json[field.name] = printed;
    else if (nullable) json[field.name] = null;
  };
}

function isUndefined(value: unknown): boolean {
  return value === undefined;
}

function isEmptyValue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === 0 || value === 0n || value === "" || value === false;
}

/** Reads the local value of a field; undefined when it has none. */
function fieldReader({ localName, oneof }: DescField): (record: ProtoMessageRecord) => unknown {
  if (oneof === undefined) return (record) => record[localName];
  return (record) => {
    const chosen = record[oneof.localName] as { case?: string; value?: unknown };
    return chosen.case === localName ? chosen.value : undefined;
  };
}

/** Reads an empty list or map as no value, unless its boolean vouches for it. */
function nullableFieldReader(field: DescField): (record: ProtoMessageRecord) => unknown {
  const read = fieldReader(field);
  const flag = findPresenceFlagField(field);
  if (flag === undefined) return read;
  return (record) => {
    const value = read(record);
    return isEmptyValue(value) && record[flag.localName] !== true ? undefined : value;
  };
}

/** The encoder of a field's whole value. */
export function compileFieldEncoder(field: DescField): ProtoJsonEncoder {
  const encode = valueEncoder(field);
  switch (field.fieldKind) {
    case "list":
      return (value) => (value as readonly unknown[]).map(encode);
    case "map":
      return (value) => encodeMap(value as Readonly<Record<string, unknown>>, encode);
    default:
      return encode;
  }
}

function encodeMap(record: Readonly<Record<string, unknown>>, encode: ProtoJsonEncoder): unknown {
  const entries = Object.entries(record).map(([key, value]) => [key, encode(value)] as const);
  return Object.fromEntries(entries);
}

function valueEncoder(field: DescField): ProtoJsonEncoder {
  if (field.message !== undefined) return compileProtoJsonEncoder(field.message);
  if (field.enum !== undefined) return enumEncoder(field.enum);
  return scalarEncoder(field.scalar);
}

/** The unspecified value has no spelling, so the member is left out. */
function enumEncoder(desc: DescEnum): ProtoJsonEncoder {
  const { byNumber } = getRestEnumNames(desc);
  return (value) => byNumber.get(value as number);
}

function scalarEncoder(type: ScalarType): ProtoJsonEncoder {
  switch (type) {
    case ScalarType.BYTES:
      return (value) => base64Encode(value as Uint8Array);
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return (value) => Number(value);
    default:
      return (value) => value;
  }
}

/** A nullable field must be able to have no value, or its null could never be meant. */
function assertCanBeNull(field: DescField): void {
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT || field.enum !== undefined) return;
  if (findPresenceFlagField(field) !== undefined) return;
  throw new Error(`${field.toString()} is nullable but always has a value; make it optional`);
}
