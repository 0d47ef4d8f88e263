import { create, ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { invalidRequestError } from "../../platform/errors.ts";
import {
  decodeProtoListValue,
  decodeProtoStruct,
  decodeProtoValue,
  isProtobufJsonObject,
} from "./decode-json.ts";
import {
  createEnumDecoder,
  createScalarDecoder,
  wrongJsonTypeError,
  type JsonValueDecoder,
} from "./decode-scalar.ts";
import { readRestFieldPolicy } from "../field-policy.ts";
import { readFieldValidationRules } from "../field-rules.ts";
import { asProtoMessageRecord, type ProtoMessageRecord } from "../message-record.ts";
import { decodeRfc3339Timestamp } from "./timestamp.ts";

/** Sets one field of a message from the JSON value under its name. */
type AssignField = (record: ProtoMessageRecord, json: unknown, path: string) => void;

/** Sets the fields of a message from the members of a JSON object. */
export type MessageFieldsDecoder = (
  record: ProtoMessageRecord,
  object: Readonly<Record<string, unknown>>,
  path: string,
) => void;

const messageDecoders = new WeakMap<DescMessage, JsonValueDecoder>();

/**
 * The decoder of a message, compiled once from its descriptor. It is strict:
 * names are those of the proto file (snake_case), an unknown one, null, a value
 * of another type and a missing required field are refused with the exact path.
 */
export function compileMessageDecoder(desc: DescMessage): JsonValueDecoder {
  const known = messageDecoders.get(desc) ?? wellKnownDecoder(desc);
  if (known !== undefined) return known;
  if (desc.typeName.startsWith("google.")) {
    throw new Error(`${desc.typeName} has no REST form in a request`);
  }
  let decodeFields: MessageFieldsDecoder;
  const decode: JsonValueDecoder = (json, path) => {
    if (!isProtobufJsonObject(json)) throw wrongJsonTypeError(path, "an object", json);
    const message = create(desc);
    decodeFields(asProtoMessageRecord(message), json, path);
    return message;
  };
  // Registered before its fields are compiled, for types that contain themselves.
  messageDecoders.set(desc, decode);
  decodeFields = compileMessageFieldsDecoder(desc, desc.fields);
  return decode;
}

/** The decoder of an object of which a PATCH sends the members to change. */
function partDecoder(desc: DescMessage): JsonValueDecoder {
  const decodeFields = compileMessageFieldsDecoder(desc, desc.fields, true);
  return (json, path) => {
    if (!isProtobufJsonObject(json)) throw wrongJsonTypeError(path, "an object", json);
    const message = create(desc);
    decodeFields(asProtoMessageRecord(message), json, path);
    return message;
  };
}

function wellKnownDecoder({ typeName }: DescMessage): JsonValueDecoder | undefined {
  switch (typeName) {
    case "google.protobuf.Timestamp":
      return decodeRfc3339Timestamp;
    case "google.protobuf.Struct":
      return decodeProtoStruct;
    case "google.protobuf.Value":
      return decodeProtoValue;
    case "google.protobuf.ListValue":
      return decodeProtoListValue;
    default:
      return undefined;
  }
}

/**
 * Decodes the members of an object into the given fields of a message. A body
 * is decoded by this into the fields that the path has not bound. In a part of
 * an object nothing is required, and null leaves unset what can be cleared.
 */
export function compileMessageFieldsDecoder(
  desc: DescMessage,
  fields: readonly DescField[],
  isPartial = false,
): MessageFieldsDecoder {
  const readable = fields.filter((field) => readRestFieldPolicy(field).presenceOf === "");
  const assigners = new Map(readable.map((field) => [field.name, fieldAssigner(desc, field)]));
  const required = readable.filter((field) => !isPartial && readRestFieldPolicy(field).required);
  const cleared = readable.filter((field) => isPartial && readRestFieldPolicy(field).clearable);
  const clearable = new Set(cleared.map(({ name }) => name));
  return (record, object, path) => {
    for (const name of Object.keys(object)) {
      const assign = assigners.get(name);
      if (assign === undefined) throw unknownField(joinPath(path, name), [...assigners.keys()]);
      if (object[name] === null && clearable.has(name)) continue;
      assign(record, object[name], joinPath(path, name));
    }
    for (const { name } of required) {
      if (!Object.hasOwn(object, name)) throw missing(joinPath(path, name));
    }
  };
}

function joinPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}

function unknownField(path: string, known: readonly string[]) {
  const list = known.length === 0 ? "none" : known.map((name) => `\`${name}\``).join(", ");
  return invalidRequestError(path, `\`${path}\` is no field of this request; it takes ${list}.`);
}

function missing(path: string) {
  return invalidRequestError(path, `\`${path}\` is required.`);
}

/** The assigner of one field; an assigned list or map also sets the boolean that vouches for it. */
function fieldAssigner(desc: DescMessage, field: DescField): AssignField {
  const assign = createProtoFieldSetter(field, compileFieldDecoder(field));
  const witness = desc.fields.find((other) => readRestFieldPolicy(other).presenceOf === field.name);
  if (witness === undefined) return assign;
  return (record, json, path) => {
    assign(record, json, path);
    record[witness.localName] = true;
  };
}

/** Sets a field to what `decode` makes of a value; a member of a oneof excludes the others. */
export function createProtoFieldSetter<Source>(
  { localName, oneof }: DescField,
  decode: (source: Source, path: string) => unknown,
): (record: ProtoMessageRecord, source: Source, path: string) => void {
  if (oneof === undefined) {
    return (record, source, path) => {
      record[localName] = decode(source, path);
    };
  }
  return (record, source, path) => {
    assertFirstOfOneof(record[oneof.localName], path);
    record[oneof.localName] = { case: localName, value: decode(source, path) };
  };
}

/** Of the fields of a oneof a body may have one. */
function assertFirstOfOneof(present: unknown, path: string): void {
  if (!isProtobufJsonObject(present) || present["case"] === undefined) return;
  throw invalidRequestError(
    path,
    `\`${path}\` excludes another field of this request; send one of them.`,
  );
}

/** The decoder of a field's whole value. */
export function compileFieldDecoder(field: DescField): JsonValueDecoder {
  switch (field.fieldKind) {
    case "list":
      return listDecoder(valueDecoder(field));
    case "map":
      return mapDecoder(field.mapKey, valueDecoder(field));
    default:
      return valueDecoder(field);
  }
}

/** The decoder of a singular value, of one item of a list or of one value of a map. */
function valueDecoder(field: DescField): JsonValueDecoder {
  if (field.message !== undefined) {
    return readRestFieldPolicy(field).merge
      ? partDecoder(field.message)
      : compileMessageDecoder(field.message);
  }
  if (field.enum !== undefined)
    return createEnumDecoder(field.enum, readFieldValidationRules(field));
  const longAsString = "longAsString" in field && field.longAsString;
  return createScalarDecoder(field.scalar, readFieldValidationRules(field), longAsString);
}

function listDecoder(decodeItem: JsonValueDecoder): JsonValueDecoder {
  return (json, path) => {
    if (!Array.isArray(json)) throw wrongJsonTypeError(path, "an array", json);
    return json.map((item, index) => decodeItem(item, `${path}[${index.toString()}]`));
  };
}

function mapDecoder(keyType: ScalarType, decodeItem: JsonValueDecoder): JsonValueDecoder {
  if (keyType !== ScalarType.STRING) throw new Error("only maps with string keys have a REST form");
  return (json, path) => {
    if (!isProtobufJsonObject(json)) throw wrongJsonTypeError(path, "an object", json);
    const entries = Object.entries(json).map(([key, item]) => {
      return [key, decodeItem(item, `${path}.${key}`)] as const;
    });
    // Defines own properties, so that a key `__proto__` is a key like any other.
    return Object.fromEntries(entries);
  };
}
