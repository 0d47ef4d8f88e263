import fc from "fast-check";
import { hostileJson, hostileName, setMember } from "./hostile.ts";

/** One thing that is done to an honest value. */
interface Mutation {
  /** Which of its places; taken modulo their number. */
  readonly place: number;
  readonly kind: "choice" | "name" | "replace" | "rename" | "delete" | "add" | "repeat";
  readonly name: string;
  readonly value: unknown;
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(10_000),
  kind: fc.constantFrom(
    ...([
      "choice",
      "choice",
      "choice",
      "name",
      "replace",
      "rename",
      "delete",
      "add",
      "repeat",
    ] as const),
  ),
  name: hostileName,
  value: hostileJson,
});

/** Mostly one: what is wrong in two places is refused at the first. */
const fewMutations = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 8, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 1 }) },
  { weight: 3, arbitrary: fc.array(mutation, { minLength: 2, maxLength: 4 }) },
);

/** Honest values with a thing or a few done to each; now and then nothing. */
export function mutated(honest: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(honest, fewMutations).map(([value, mutations]) => mutate(value, mutations));
}

function mutate(value: unknown, mutations: readonly Mutation[]): unknown {
  const root = { value: structuredClone(value) };
  for (const mutation of mutations) {
    const all = placesOf(root);
    const choices = mutation.kind === "choice" ? all.filter(isChoice) : [];
    const places = choices.length > 0 ? choices : all;
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

/** Members whose words stand for something: tables are looked up by them. */
const choiceNames = new Set(
  "type role name status finish_reason stop_reason reason effort format detail code media_type object".split(
    " ",
  ),
);

function isChoice({ holder, key }: Place): boolean {
  return choiceNames.has(key) && typeof memberOf(holder, key) !== "object";
}

function memberOf(holder: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}

function change({ holder, key }: Place, { kind, name, value }: Mutation): void {
  const old = memberOf(holder, key);
  const isObject = typeof old === "object" && old !== null;
  switch (kind) {
    case "choice":
      return setMember(holder, key, name);
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
