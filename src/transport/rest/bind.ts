import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { HttpBodySchema } from "../../../gen/ts/google/api/httpbody_pb.ts";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import {
  createProtoFieldSetter,
  compileFieldDecoder,
  compileMessageFieldsDecoder,
} from "../../contract/json/decode-message.ts";
import { wrongJsonTypeError } from "../../contract/json/decode-scalar.ts";
import {
  compileRequestParameterDecoder,
  type RequestParameterDecoder,
} from "../../contract/json/decode-text.ts";
import { readRestFieldPolicy } from "../../contract/field-policy.ts";
import { asProtoMessageRecord, type ProtoMessageRecord } from "../../contract/message-record.ts";
import type { RestRule } from "../../contract/rest-rule.ts";

/** The parts of an HTTP request that can hold fields, percent-decoded and parsed. */
export interface RestRequestInput {
  readonly params: Readonly<Record<string, unknown>>;
  /** A repeated parameter is an array. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined: the request had no body. For a rule with `takesBytes` the bytes as they came. */
  readonly body: unknown;
}

type Bind = (record: ProtoMessageRecord, input: RestRequestInput) => void;

/**
 * Compiles what turns a request into the method's message: path, body and query
 * as the rule says, each value checked. Throws a 400 that names the value.
 */
export function compileRequestBinder(rule: RestRule): (input: RestRequestInput) => Message {
  const { input: desc } = rule.method;
  const binders = [bodyBinder(rule), queryBinder(rule), pathBinder(rule)];
  return (input) => {
    const message = create(desc);
    for (const bind of binders) bind(asProtoMessageRecord(message), input);
    return message;
  };
}

function pathBinder({ method, pathFields }: RestRule): Bind {
  const segments = pathFields.map((name) => {
    const field = fieldNamed(method.input, name);
    return { name, assign: createProtoFieldSetter(field, textDecoderOf(field)) };
  });
  return (record, { params }) => {
    for (const { name, assign } of segments) assign(record, String(params[name]), name);
  };
}

function textDecoderOf(field: DescField): RequestParameterDecoder {
  const decode = compileRequestParameterDecoder(field);
  if (decode === undefined || field.fieldKind === "list") {
    throw new Error(`${field.toString()} cannot stand in a path`);
  }
  return decode;
}

/** Known parameters are checked, unknown ones ignored. */
function queryBinder({ method, pathFields, body }: RestRule): Bind {
  if (body === "*") return () => undefined;
  const parameters = method.input.fields.flatMap((field) => {
    const decode = compileRequestParameterDecoder(field);
    const isBound = pathFields.includes(field.name) || field.name === body;
    return isBound || decode === undefined ? [] : [queryParameter(field, decode)];
  });
  return (record, { query }) => {
    for (const { name, assign } of parameters) {
      if (query[name] !== undefined) assign(record, query[name], name);
    }
  };
}

function queryParameter(field: DescField, decode: RequestParameterDecoder) {
  const read = field.fieldKind === "list" ? manyOf(decode) : onceOf(decode);
  return { name: field.name, assign: createProtoFieldSetter(field, read) };
}

function manyOf(decode: RequestParameterDecoder) {
  return (texts: unknown, param: string) =>
    [texts].flat().map((text, index) => decode(String(text), `${param}[${index.toString()}]`));
}

function onceOf(decode: RequestParameterDecoder) {
  return (text: unknown, param: string) => {
    if (typeof text === "string") return decode(text, param);
    throw invalidRequestError(param, `\`${param}\` may be given once only.`);
  };
}

function bodyBinder(rule: RestRule): Bind {
  if (rule.body === undefined) return () => undefined;
  if (rule.takesBytes) return bytesBinder(fieldNamed(rule.method.input, rule.body));
  if (rule.body !== "*") return namedBodyBinder(fieldNamed(rule.method.input, rule.body));
  return maskField(rule) === undefined ? wholeBodyBinder(rule) : patchBinder(rule);
}

/** The whole body is one field. */
function namedBodyBinder(field: DescField): Bind {
  const assign = createProtoFieldSetter(field, compileFieldDecoder(field));
  return (record, { body }) => {
    if (body === undefined) throw missingBody();
    assign(record, body, "");
  };
}

/** The whole body is one `google.api.HttpBody`, which is not looked into here. */
function bytesBinder(field: DescField): Bind {
  const assign = createProtoFieldSetter(field, (data: Uint8Array) =>
    create(HttpBodySchema, { data }),
  );
  return (record, { body }) => {
    if (!(body instanceof Uint8Array)) throw missingBody();
    assign(record, body, "");
  };
}

/** An absent body is an empty object: what it must hold is missing, and what it may hold is not said. */
function wholeBodyBinder(rule: RestRule): Bind {
  const decode = compileMessageFieldsDecoder(rule.method.input, bodyFields(rule));
  return (record, { body = {} }) => {
    if (!isProtobufJsonObject(body)) throw wrongJsonTypeError("", "a JSON object", body);
    decode(record, body, "");
  };
}

/**
 * A merge patch (RFC 7396): the members of the body are the paths of the field
 * mask, or where an object is merged into the stored one, its members; null for a
 * field that can be cleared leaves it unset there.
 */
function patchBinder(rule: RestRule): Bind {
  const fields = bodyFields(rule);
  const decode = compileMessageFieldsDecoder(rule.method.input, fields);
  const clearable = new Set(
    fields.filter((field) => readRestFieldPolicy(field).clearable).map(nameOf),
  );
  const merged = new Set(fields.filter((field) => readRestFieldPolicy(field).merge).map(nameOf));
  const mask = maskField(rule)?.localName ?? "";
  return (record, { body }) => {
    if (body === undefined) throw missingBody();
    if (!isProtobufJsonObject(body)) throw wrongJsonTypeError("", "a JSON object", body);
    const values = Object.entries(body).filter(([name, value]) => {
      return value !== null || !clearable.has(name);
    });
    decode(record, Object.fromEntries(values), "");
    const paths = Object.entries(body).flatMap(([name, value]) =>
      merged.has(name) && isProtobufJsonObject(value) ? memberPaths(name, value) : [name],
    );
    record[mask] = create(FieldMaskSchema, { paths });
  };
}

function memberPaths(name: string, object: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(object).map((member) => `${name}.${member}`);
}

function missingBody(): ApiError {
  return new ApiError("invalid_request", "The request needs a JSON body.");
}

/** The fields that a `*` body holds. */
function bodyFields({ method, pathFields }: RestRule): DescField[] {
  return method.input.fields.filter((field) => !pathFields.includes(field.name) && !isMask(field));
}

function maskField({ method }: RestRule): DescField | undefined {
  return method.input.fields.find(isMask);
}

function isMask(field: DescField): boolean {
  return field.message?.typeName === FieldMaskSchema.typeName;
}

function nameOf(field: DescField): string {
  return field.name;
}

function fieldNamed(desc: DescMessage, name: string): DescField {
  const field = desc.fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`${desc.typeName} has no field ${name}`);
  return field;
}
