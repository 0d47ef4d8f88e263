import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { isStorableText } from "../../platform/database/storable-text.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { readRestFieldPolicy } from "../../contract/field-policy.ts";
import {
  asProtoMessage,
  asProtoMessageRecord,
  type ProtoMessageRecord,
} from "../../contract/message-record.ts";

/** Trims and checks the text in a message, in place; throws a 400 that names the field. */
export type RequestTextSanitizer = (record: ProtoMessageRecord, path: string) => void;

/** Returns the value that takes the place of the given one. */
type PrepareValue = (value: unknown, path: string) => unknown;

const preparers = new WeakMap<DescMessage, RequestTextSanitizer>();

/**
 * Compiles what every request message goes through before it is validated, over
 * every protocol: white space is taken off where the field's option says so, and
 * text that PostgreSQL cannot store (a NUL character, half a surrogate pair) is
 * refused here rather than failing there.
 */
export function compileRequestTextSanitizer(desc: DescMessage): RequestTextSanitizer {
  const known = preparers.get(desc);
  if (known !== undefined) return known;
  const steps: RequestTextSanitizer[] = [];
  const prepare: RequestTextSanitizer = (record, path) => {
    for (const step of steps) step(record, path);
  };
  // Registered before its fields are compiled, for types that contain themselves.
  preparers.set(desc, prepare);
  for (const field of desc.fields) {
    const prepareValue = fieldPreparer(field);
    if (prepareValue !== undefined) steps.push(fieldStep(field, prepareValue));
  }
  return prepare;
}

function fieldStep(
  { name, localName, oneof }: DescField,
  prepare: PrepareValue,
): RequestTextSanitizer {
  return (record, parent) => {
    const path = parent === "" ? name : `${parent}.${name}`;
    const place = oneof === undefined ? record : memberOf(record[oneof.localName], localName);
    const key = oneof === undefined ? localName : "value";
    const value = place?.[key];
    if (place !== undefined && value !== undefined) place[key] = prepare(value, path);
  };
}

/** The chosen member of a oneof, if it is the field of that name. */
function memberOf(chosen: unknown, localName: string): ProtoMessageRecord | undefined {
  const member = chosen as ProtoMessageRecord;
  return member["case"] === localName ? member : undefined;
}

function fieldPreparer(field: DescField): PrepareValue | undefined {
  const prepare = valuePreparer(field);
  switch (field.fieldKind) {
    case "list":
      return prepare && listPreparer(prepare);
    case "map":
      return mapPreparer(prepare ?? keep);
    default:
      return prepare;
  }
}

function keep(value: unknown): unknown {
  return value;
}

function listPreparer(prepare: PrepareValue): PrepareValue {
  return (value, path) =>
    (value as unknown[]).map((item, index) => prepare(item, `${path}[${index.toString()}]`));
}

function mapPreparer(prepare: PrepareValue): PrepareValue {
  return (value, path) => {
    const entries = Object.entries(value as ProtoMessageRecord).map(([key, item]) => {
      assertStorable(key, path);
      return [key, prepare(item, `${path}.${key}`)] as const;
    });
    return Object.fromEntries(entries);
  };
}

function valuePreparer(field: DescField): PrepareValue | undefined {
  if (field.message !== undefined) return messagePreparer(field.message);
  if (field.scalar !== ScalarType.STRING) return undefined;
  const { trim } = readRestFieldPolicy(field);
  return (value, path) => {
    const text = trim ? String(value).trim() : String(value);
    assertStorable(text, path);
    return text;
  };
}

function messagePreparer(desc: DescMessage): PrepareValue {
  // A Struct is held as plain JSON in its field; nothing in it is ever changed.
  if (desc.typeName === "google.protobuf.Struct") return prepareJson;
  const prepare = compileRequestTextSanitizer(desc);
  return (value, path) => {
    prepare(asProtoMessageRecord(asProtoMessage(value)), path);
    return value;
  };
}

function prepareJson(json: unknown, path: string): unknown {
  if (typeof json === "string") assertStorable(json, path);
  else if (typeof json === "object" && json !== null) {
    for (const [key, member] of Object.entries(json)) {
      assertStorable(key, path);
      prepareJson(member, path);
    }
  }
  return json;
}

function assertStorable(text: string, path: string): void {
  if (isStorableText(text)) return;
  throw invalidRequestError(path, `\`${path}\` holds a NUL character or half a surrogate pair.`);
}
