/**
 * `npm run snapshot:names -- <ecosystem> <file> <source>`: puts the much-used names
 * of an ecosystem, one a line in the file (`-`: standard input), into the list that
 * comes with the program; the source says in a few words who counted them.
 */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { ecosystems } from "../src/depshealth/facts.ts";

const [ecosystem, names, source, target = "src/depshealth/spelling/popular-packages.jsonl"] =
  process.argv.slice(2);

if (!ecosystems.some((it) => it === ecosystem) || names === undefined || source === undefined) {
  console.error("Say what and whence: npm run snapshot:names -- npm names.txt 'who counted them'");
  process.exit(2);
}

const text = readFileSync(names === "-" ? 0 : names, "utf8");
const listed = [...new Set(text.split("\n").map((line) => line.trim()))].filter(Boolean).toSorted();
const row = { ecosystem, as_of: new Date().toISOString().slice(0, 10), source, names: listed };
const rows = readRows(target).filter((it) => it.ecosystem !== ecosystem);
const lines = [...rows, row]
  .toSorted((left, right) => indexOf(left.ecosystem) - indexOf(right.ecosystem))
  .map((it) => `${JSON.stringify(it)}\n`);
await writeFile(target, lines.join(""));
console.log(`${listed.length} names of ${ecosystem} are in ${target}`);

function readRows(file: string): readonly { readonly ecosystem: string | undefined }[] {
  const kept = readFileSync(file, "utf8").trimEnd().split("\n").filter(Boolean);
  return kept.map((line) => JSON.parse(line) as { readonly ecosystem: string });
}

function indexOf(name: string | undefined): number {
  return ecosystems.findIndex((it) => it === name);
}
