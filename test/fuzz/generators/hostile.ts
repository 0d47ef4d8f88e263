import fc from "fast-check";

/** Names that an object has without being given them, and other ones that nobody expects. */
export const hostileName: fc.Arbitrary<string> = fc.constantFrom(
  "constructor",
  "__proto__",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "__defineGetter__",
  "__lookupSetter__",
  "prototype",
  "then",
  "toJSON",
  "length",
  "",
  "0",
  "-1",
  "null",
  "a.b[0]",
  "\ud800",
  "\udfff\ud800",
  "é\u0000",
  "n".repeat(300),
);

/** Texts at which a reader of text may stumble. */
const hostileText: fc.Arbitrary<string> = fc.oneof(
  hostileName,
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("\r\ndata: x\r\n\r\n", "[DONE]", "{", "data:", "\u2028", "𝕏".repeat(500), " "),
);

/** Marks a text that goes into JSON as it is, because no value of JavaScript is written so. */
const verbatim = (json: string): string => `@@${json}@@`;

const hostileNumber: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(0, -1, 0.5, 2 ** 31, 2 ** 53, 1e21, Number.MIN_VALUE),
  fc
    .constantFrom("1e400", "-1e400", "-0", "9007199254740993", "1e-400", `1${"0".repeat(400)}`)
    .map(verbatim),
);

const deepValue: fc.Arbitrary<unknown> = fc
  .record({ depth: fc.constantFrom(40, 200, 5000), open: fc.constantFrom("[", '{"type":') })
  .map(({ depth, open }) =>
    verbatim(`${open.repeat(depth)}${open === "[" ? "" : "0"}${close(open).repeat(depth)}`),
  );

function close(open: string): string {
  return open === "[" ? "]" : "}";
}

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: hostileNumber },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false) },
);

const nested: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 3 }) },
  {
    weight: 2,
    arbitrary: fc.array(fc.tuple(hostileName, leaf), { maxLength: 3 }).map(objectOf),
  },
);

/** Any JSON value, of hostile parts and mostly small. Write it with `jsonText`. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: nested },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: deepValue },
);

/** An object of hostile members. */
export const hostileObject: fc.Arbitrary<object> = fc
  .array(fc.tuple(hostileName, nested), { maxLength: 4 })
  .map(objectOf);

/** Members of any name, `__proto__` included, as members of the object's own. */
export function objectOf(members: readonly (readonly [string, unknown])[]): object {
  const object = {};
  for (const [name, value] of members) setMember(object, name, value);
  return object;
}

/** Sets a member of whatever name. */
export function setMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** The JSON text of a value that may hold what only text can say. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.replaceAll(/"@@(.*?)@@"/g, (_, json: string) => json.replaceAll('\\"', '"'));
}
