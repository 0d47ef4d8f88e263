import fc from "fast-check";
import { hostileJson, hostileName, setMember } from "./hostile.ts";

/** One thing that is done to an honest value. */
interface Mutation {
  /** Which of its places; taken modulo their number. */
  readonly place: number;
  readonly kind: "name" | "replace" | "rename" | "delete" | "add" | "repeat";
  readonly name: string;
  readonly value: unknown;
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(10_000),
  kind: fc.constantFrom("name", "name", "replace", "rename", "delete", "add", "repeat"),
  name: hostileName,
  value: hostileJson,
});

/** Honest values with a few things done to each; now and then nothing. */
export function mutated(honest: fc.Arbitrary<unknown>, most = 3): fc.Arbitrary<unknown> {
  return fc
    .tuple(honest, fc.array(mutation, { maxLength: most }))
    .map(([value, mutations]) => mutate(value, mutations));
}

function mutate(value: unknown, mutations: readonly Mutation[]): unknown {
  const root = { value: structuredClone(value) };
  for (const mutation of mutations) {
    const places = placesOf(root);
    const place = places[mutation.place % places.length];
    if (place !== undefined) change(place, mutation);
  }
  return root.value;
}

/** Every member and element below, the whole first. */
function placesOf(root: object): Place[] {
  const places: Place[] = [];
  const holders: object[] = [root];
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      const value = memberOf(holder, key);
      if (typeof value === "object" && value !== null) holders.push(value);
    }
  }
  return places;
}

function memberOf(holder: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}

function change({ holder, key }: Place, { kind, name, value }: Mutation): void {
  const old = memberOf(holder, key);
  const isObject = typeof old === "object" && old !== null;
  switch (kind) {
    case "name":
      return setMember(holder, key, typeof old === "string" ? name : value);
    case "replace":
      return setMember(holder, key, value);
    case "rename":
      if (Array.isArray(holder)) return setMember(holder, key, value);
      Reflect.deleteProperty(holder, key);
      return setMember(holder, name, old);
    case "delete":
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
      return;
    case "add":
      if (Array.isArray(old)) old.push(value);
      else
        setMember(isObject ? old : holder, isObject || !Array.isArray(holder) ? name : key, value);
      return;
    case "repeat":
      if (Array.isArray(old)) old.push(...structuredClone(old));
      return;
  }
}
