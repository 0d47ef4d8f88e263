import {
  create,
  fromBinary,
  ScalarType,
  type DescField,
  type DescMessage,
  type Message,
} from "@bufbuild/protobuf";
import fc from "fast-check";
import { getRestEnumNames } from "../../../src/contract/enum-spelling.ts";
import { readRestFieldPolicy } from "../../../src/contract/field-policy.ts";
import type { World } from "../run/world.ts";
import { hostileJson, hostileName, hostileObject, objectOf } from "./hostile.ts";

const deepest = 3;

/** Texts that a field of this name is given: things that exist, honest words, hostile ones. */
export function someText(world: World, name: string): fc.Arbitrary<string> {
  if (name === "base_url" || name === "url") return someAddress(world);
  const things = world.things[name] ?? [];
  const words = wordsOf[name] ?? ["fuzz"];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...(things.length > 0 ? things : words)) },
    { weight: 2, arbitrary: fc.constantFrom(...words) },
    { weight: 2, arbitrary: hostileName },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
  );
}

const wordsOf: Readonly<Record<string, readonly string[]>> = {
  email: ["a@example.org", "a,b@example.org", `${"a".repeat(300)}@example.org`],
  ecosystem: ["npm", "pypi", "cargo", "go", "maven", "rubygems", "nuget", "packagist"],
  name: ["left", "fuzz", "@a/b", "../x"],
  product: ["node", "constructor"],
  cycle: ["24", "__proto__"],
  code: ["12345678", "inv_0"],
  token: ["fuzz", "built-in", "fuzzchat"],
  from: ["chat", "responses", "messages"],
  after_id: ["key_00000000000000000000000000"],
};

/** Addresses that lead nowhere beyond this machine, without a question to a resolver of names either. */
function someAddress({ origin }: World): fc.Arbitrary<string> {
  return fc.constantFrom(
    origin,
    `${origin}/v1`,
    `${origin}/v1`,
    "http://127.0.0.1:9/v1",
    "http://169.254.169.254/v1",
    "http://[::1]:9/",
    "http://[::ffff:127.0.0.1]:9/",
    "http://0x7f.1/",
    "http://localhost:9",
    `http://${"a".repeat(300)}/v1`,
    `http://${"a.".repeat(200)}/v1`,
    "http://a..b/",
    "http://",
    "file:///etc/passwd",
    "http://u:p@127.0.0.1:9/",
    "http://127.0.0.1:99999/",
    "constructor",
    "",
  );
}

/** A message of which any field may be set, to what it may hold or to what nobody expects. */
export function someMessage(desc: DescMessage, world: World, depth = 0): fc.Arbitrary<Message> {
  const isWellKnown = desc.typeName.startsWith("google.protobuf.");
  if (depth >= deepest || isWellKnown) return someWellKnown(desc);
  const fields = desc.fields.map((field) =>
    fc.option(someField(field, world, depth), { nil: undefined, freq: 3 }),
  );
  return fc.tuple(...fields).map((values) => {
    const message = create(desc);
    desc.fields.forEach((field, index) => assign(message, field, values[index]));
    return message;
  });
}

/** Of bytes: what is read of some fields is as good as anything. */
function someWellKnown(desc: DescMessage): fc.Arbitrary<Message> {
  const known = fc.constantFrom(
    "",
    "0801",
    "08ffffffffffffffff7f",
    "1080948d8e8ee0ffff7f",
    "0a00",
    "0a0b0a0b5f5f70726f746f5f5f",
  );
  return known.map((hex) => {
    try {
      return fromBinary(desc, Buffer.from(hex, "hex"));
    } catch {
      return create(desc);
    }
  });
}

function assign(message: Message, field: DescField, value: unknown): void {
  if (value === undefined) return;
  const record = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) record[field.localName] = value;
  else record[field.oneof.localName] = { case: field.localName, value };
}

function someField(field: DescField, world: World, depth: number): fc.Arbitrary<unknown> {
  const listed = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 3 });
  switch (field.fieldKind) {
    case "scalar":
      return someScalar(field.scalar, field.name, world);
    case "enum":
      return fc.constantFrom(...field.enum.values.map(({ number }) => number), 99);
    case "message":
      return someMessage(field.message, world, depth + 1);
    case "list":
      if (field.listKind === "message") return listed(someMessage(field.message, world, depth + 1));
      if (field.listKind === "enum") return listed(fc.constantFrom(0, 1, 99));
      return listed(someScalar(field.scalar, field.name, world));
    case "map":
      if (field.mapKind !== "scalar") return fc.constant({});
      return fc
        .array(fc.tuple(hostileName, someScalar(field.scalar, field.name, world)), { maxLength: 3 })
        .map(objectOf);
  }
}

function someScalar(scalar: ScalarType, name: string, world: World): fc.Arbitrary<unknown> {
  switch (scalar) {
    case ScalarType.STRING:
      // Protobuf holds no lone surrogates.
      return someText(world, name).map((text) => text.toWellFormed());
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 20 });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return fc.constantFrom(0, 1, -1, 0.1, 1e9, 1e-12, Number.NaN, Number.POSITIVE_INFINITY, 1e38);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return fc.constantFrom(0n, 1n, -1n, 100n, 2n ** 63n - 1n, -(2n ** 63n));
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.constantFrom(0n, 1n, 100n, 2n ** 64n - 1n);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.constantFrom(0, 1, 20, 101, 2 ** 32 - 1);
    default:
      return fc.constantFrom(0, 1, 20, 101, -1, 2 ** 31 - 1, -(2 ** 31));
  }
}

/** A body as REST spells it: the fields of a message under their own names, each of about its type. */
export function someJsonMessage(
  desc: DescMessage,
  world: World,
  depth = 0,
): fc.Arbitrary<Record<string, unknown>> {
  if (desc.typeName.startsWith("google.protobuf."))
    return hostileObject as fc.Arbitrary<Record<string, unknown>>;
  if (depth >= deepest) return fc.constant({});
  const fields = desc.fields.map(
    (field) => [field.name, someJsonField(field, world, depth)] as const,
  );
  const arbitraries = Object.fromEntries(fields);
  const required = desc.fields.filter((field) => readRestFieldPolicy(field).required);
  const requiredKeys = required.map(({ name }) => name);
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(arbitraries, { requiredKeys }) },
    { weight: 1, arbitrary: fc.record(arbitraries, { requiredKeys: [] }) },
  );
}

function someJsonField(field: DescField, world: World, depth: number): fc.Arbitrary<unknown> {
  switch (field.fieldKind) {
    case "scalar":
      return someJsonScalar(field.scalar, field.name, world);
    case "enum":
      return fc.constantFrom(...getRestEnumNames(field.enum).names, "constructor");
    case "message":
      return field.message.typeName === "google.protobuf.Timestamp"
        ? fc.constantFrom("2026-11-20T23:00:00.000Z", "9999-12-31T23:59:59Z", "0000-00-00", "")
        : someJsonMessage(field.message, world, depth + 1);
    case "list":
      return fc.array(someJsonItem(field, world, depth), { maxLength: 3 });
    case "map":
      return fc.oneof(hostileObject, fc.constant({ a: "b" }));
  }
}

function someJsonItem(
  field: DescField & { fieldKind: "list" },
  world: World,
  depth: number,
): fc.Arbitrary<unknown> {
  if (field.listKind === "message") return someJsonMessage(field.message, world, depth + 1);
  if (field.listKind === "enum") return fc.constantFrom(...getRestEnumNames(field.enum).names);
  return someJsonScalar(field.scalar, field.name, world);
}

function someJsonScalar(scalar: ScalarType, name: string, world: World): fc.Arbitrary<unknown> {
  if (scalar === ScalarType.STRING) return someText(world, name);
  if (scalar === ScalarType.BOOL) return fc.boolean();
  const numbers = fc.constantFrom<unknown>(0, 1, 20, 101, -1, 0.5, 1e9, "7", 2 ** 53, "@@1e400@@");
  return fc.oneof({ weight: 6, arbitrary: numbers }, { weight: 1, arbitrary: hostileJson });
}
