import { readFileSync } from "node:fs";
import { recordToMap } from "../../platform/lookup-table.ts";
import type { Ecosystem } from "../facts.ts";
import type { CuratedPackageStatement } from "../verdict/verdict.ts";

/** An entry, and the package that it is about, by its name in the registry's spelling. */
export interface CuratedPackageEntry extends CuratedPackageStatement {
  readonly ecosystem: Ecosystem;
  readonly name: string;
}

const file = new URL("entries.jsonl", import.meta.url);

/**
 * What maintainers have said in public where their registry carries no mark of it,
 * or none that names what to use: a line for each package. An entry needs a
 * statement of the maintainers themselves, names where it can be read, and spells
 * what takes the package's place as that does; silence is no entry.
 */
export const curatedMaintainerStatements: readonly CuratedPackageEntry[] = readFileSync(
  file,
  "utf8",
)
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as CuratedPackageEntry);

const byPackage = recordToMap(
  Object.fromEntries(
    curatedMaintainerStatements.map((entry) => [keyOf(entry.ecosystem, entry.name), entry]),
  ),
);

/** The entry of a package by its canonical name. */
export function findCuratedPackageEntry(
  ecosystem: string,
  name: string,
): CuratedPackageStatement | undefined {
  return byPackage.get(keyOf(ecosystem, name));
}

/** NuGet's names are told in the publisher's letters, and are the same in any. */
function keyOf(ecosystem: string, name: string): string {
  return `${ecosystem} ${ecosystem === "nuget" ? name.toLowerCase() : name}`;
}
