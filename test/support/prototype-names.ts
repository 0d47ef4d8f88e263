/** Names that every plain object inherits, and the name that sets what it inherits from. */
export const prototypeNames = [
  "constructor",
  "__proto__",
  "toString",
  "valueOf",
  "hasOwnProperty",
] as const;

/** Where in a JSON value a name was put. */
export interface Misnamed {
  /** Dotted, from the root. */
  readonly place: string;
  readonly value: unknown;
}

/**
 * The value once for each of its strings, which is the name then, and once for
 * each of its objects, which has one more member of that name then.
 */
export function misnamed(value: unknown, name: string, place = "$"): readonly Misnamed[] {
  if (typeof value === "string") return [{ place, value: name }];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) =>
      misnamed(item, name, `${place}[${index}]`).map((inner) => ({
        place: inner.place,
        value: value.with(index, inner.value) as unknown,
      })),
    );
  }
  if (typeof value !== "object" || value === null) return [];
  const members = Object.entries(value);
  return [
    { place: `${place}.${name}`, value: { ...value, [name]: { type: name } } },
    ...members.flatMap(([member, old]) =>
      misnamed(old, name, `${place}.${member}`).map((inner) => ({
        place: inner.place,
        value: { ...value, [member]: inner.value },
      })),
    ),
  ];
}
