import type { MsbuildProperties } from "./project-properties.ts";

/**
 * Returns the names of the properties that have another value in `properties` than in `usual`, or
 * that refer to one of these, also by way of others.
 */
export function findDifferingMsbuildPropertyNames(
  properties: MsbuildProperties,
  usual: MsbuildProperties,
): ReadonlySet<string> {
  const names = new Set([...properties.keys(), ...usual.keys()]);
  const changed = new Set(
    [...names].filter((name) => !isSame(properties.get(name), usual.get(name))),
  );
  const users = usersByName([...properties, ...usual]);
  for (const [name, values] of properties)
    if (values.some(hasNestedMsbuildProperty)) changed.add(name);
  // The set grows while it is gone through.
  for (const name of changed) for (const user of users.get(name) ?? []) changed.add(user);
  return changed;
}

function isSame(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((value, at) => value === right[at]);
}

/** Names of properties by the names that their values refer to. */
function usersByName(
  properties: readonly (readonly [name: string, values: readonly string[]])[],
): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const [name, values] of properties) {
    for (const referred of new Set(values.flatMap(findMsbuildPropertyReferences))) {
      const known = users.get(referred);
      if (known === undefined) users.set(referred, [name]);
      else known.push(name);
    }
  }
  return users;
}

const reference = /\$\(([\w.]+)\)/g;

/** Whether the name of a property in a text has a property within, so that it is not known. */
export function hasNestedMsbuildProperty(text: string): boolean {
  return text.includes("$(") && text.replaceAll(reference, "").includes("$(");
}

/** Names, in lower case, of the properties that a text refers to. */
export function findMsbuildPropertyReferences(text: string): readonly string[] {
  if (!text.includes("$(")) return [];
  return [...text.matchAll(reference)].map(([, name = ""]) => name.toLowerCase());
}
