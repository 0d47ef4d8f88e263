import {
  create,
  ScalarType,
  type DescField,
  type DescMessage,
  type Message,
} from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import * as fc from "fast-check";
import { readRestFieldPolicy } from "../../../src/contract/field-policy.ts";
import { asProtoMessageRecord } from "../../../src/contract/message-record.ts";

/** Any message of a type that REST can carry both ways. */
export function arbitraryMessage(desc: DescMessage): fc.Arbitrary<Message> {
  if (desc.typeName === "google.protobuf.Timestamp") return arbitraryTimestamp;
  const free = desc.fields.filter((field) => field.oneof === undefined);
  const fields = fc.record(
    Object.fromEntries(free.map((field) => [field.localName, arbitraryField(field)])),
  );
  const oneofs = fc.record(
    Object.fromEntries(
      desc.oneofs.map((oneof) => [oneof.localName, arbitraryMember(oneof.fields)]),
    ),
  );
  return fc.tuple(fields, oneofs).map(([plain, chosen]) => {
    const message = create(desc);
    const set = Object.entries({ ...plain, ...chosen }).filter(([, value]) => value !== undefined);
    for (const [name, value] of set) asProtoMessageRecord(message)[name] = value;
    return message;
  });
}

/** Whole milliseconds of the years that a timestamp can name. */
const arbitraryTimestamp = fc
  .integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })
  .map((milliseconds) => timestampFromMs(milliseconds));

function arbitraryMember(fields: readonly DescField[]): fc.Arbitrary<unknown> {
  const members = fields.map((field) =>
    arbitraryValue(field).map((value) => ({ case: field.localName, value })),
  );
  return fc.oneof(fc.constant({ case: undefined, value: undefined }), ...members);
}

function arbitraryField(field: DescField): fc.Arbitrary<unknown> {
  const { constant, presenceOf } = readRestFieldPolicy(field);
  if (constant !== "") return fc.constant(constant);
  // Decoding sets the witness of a list, which is always printed.
  if (presenceOf !== "") return fc.constant(true);
  switch (field.fieldKind) {
    case "list":
      return fc.array(arbitraryValue(field), { maxLength: 3 });
    case "map":
      return fc.dictionary(fc.string(), arbitraryValue(field), {
        maxKeys: 3,
        noNullPrototype: true,
      });
    default:
      return arbitrarySingular(field);
  }
}

function arbitrarySingular(field: DescField): fc.Arbitrary<unknown> {
  const canBeUnset = field.message !== undefined || field.proto.proto3Optional;
  const isOptional = canBeUnset && !readRestFieldPolicy(field).required;
  return isOptional ? fc.option(arbitraryValue(field), { nil: undefined }) : arbitraryValue(field);
}

function arbitraryValue(field: DescField): fc.Arbitrary<unknown> {
  if (field.message?.typeName === "google.protobuf.Struct") return arbitraryObject;
  if (field.message !== undefined) return arbitraryMessage(field.message);
  if (field.enum !== undefined) {
    const spelled = field.enum.values.filter(({ number }) => number !== 0);
    return fc.constantFrom(...spelled.map(({ number }) => number));
  }
  return arbitraryScalar(field.scalar);
}

/** What JSON.parse can give: minus zero is not among it. */
const arbitraryObject = fc
  .dictionary(fc.string(), fc.jsonValue())
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

function arbitraryScalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return fc.string({ unit: "binary" });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT32:
      return fc.integer();
    case ScalarType.UINT32:
      return fc.nat();
    case ScalarType.INT64:
      return fc.maxSafeInteger().map(BigInt);
    case ScalarType.DOUBLE:
      return fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((value) => !Object.is(value, -0));
    default:
      throw new Error(`no arbitrary for scalar type ${type.toString()}`);
  }
}
