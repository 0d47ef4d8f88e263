import { readFileSync } from "node:fs";
import type { Ecosystem } from "../facts.ts";

const file = new URL("popular-packages.jsonl", import.meta.url);

let names: ReadonlyMap<Ecosystem, ReadonlySet<string>> | undefined;

/**
 * Names that most projects of an ecosystem know, as `npm run snapshot:names` has
 * written them: a line for each ecosystem, which says of when they are and who has
 * chosen them.
 */
export function getPopularPackageNames(ecosystem: Ecosystem): ReadonlySet<string> {
  names ??= read();
  return names.get(ecosystem) ?? new Set();
}

function read(): ReadonlyMap<Ecosystem, ReadonlySet<string>> {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as Row);
  return new Map(rows.map((row) => [row.ecosystem, new Set(row.names)]));
}

interface Row {
  readonly ecosystem: Ecosystem;
  readonly names: readonly string[];
}
