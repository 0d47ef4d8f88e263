import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";

/** A dependency as a package.json has it. */
export interface NpmManifestEntry {
  readonly name: string;
  readonly specifier: string;
  readonly group: string;
}

/** Members of a package.json by what they are for. */
const groupOf: ReadonlyMap<string, string> = new Map([
  ["dependencies", "production"],
  ["optionalDependencies", "optional"],
  ["peerDependencies", "peer"],
  ["devDependencies", "development"],
]);

/**
 * What a package.json, or the copy of it in a lock file, asks for; an optional
 * dependency is not a plain one too, as in npm.
 */
export function readNpmManifestEntries(
  manifest: JsonObject,
  members: readonly string[] = [...groupOf.keys()],
): NpmManifestEntry[] {
  const optional = asJsonObjectOrEmpty(manifest["optionalDependencies"]);
  return members.flatMap((member) =>
    Object.entries(asJsonObjectOrEmpty(manifest[member])).flatMap(([name, specifier]) => {
      if (member === "dependencies" && Object.hasOwn(optional, name)) return [];
      return [
        {
          name,
          specifier: asNonBlankString(specifier) ?? "",
          group: groupOf.get(member) ?? member,
        },
      ];
    }),
  );
}
