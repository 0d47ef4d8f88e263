/**
 * Counts the turns of phrase that the writing guide rejects (docs/engineering/writing.md) and
 * fails if a folder has more of them, or fewer, than scripts/wording/counts.json says: a count
 * may only fall, and a lower one is recorded.
 *
 *     node scripts/check-wording.ts                  # compares
 *     node scripts/check-wording.ts --write          # records counts whose sum has not risen
 *     node scripts/check-wording.ts --list src/team  # lists the places of a folder
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./run-tool.ts";
import { compareCounts } from "./wording/compare-counts.ts";
import { textsInCode, textsInLines } from "./wording/find-texts.ts";
import { findHits } from "./wording/patterns.ts";

const record = join(repository, "scripts/wording/counts.json");
const pattern = "{{src,test,scripts}/**/*.ts,{docs,proto}/**/*.{md,proto},*.md}";
/** What others wrote, what must not change, and the patterns themselves. */
const exempt = /^(?:proto\/grpc|src\/app\/migrations|scripts\/wording)\//;

/** `src/team`, `test/team`, `docs`: the folders that have a count of their own. */
function folderOf(file: string): string {
  const parts = file.split("/");
  if (parts.length === 1) return ".";
  const [top = "", next = ""] = parts;
  return ["src", "test"].includes(top) && parts.length > 2 ? `${top}/${next}` : top;
}

const places = globSync(pattern, { cwd: repository })
  .toSorted()
  .filter((file) => !exempt.test(file))
  .flatMap((file) => {
    const content = readFileSync(join(repository, file), "utf8");
    const texts = file.endsWith(".ts") ? textsInCode(file, content) : textsInLines(file, content);
    return texts.flatMap(({ kind, line, text }) =>
      findHits(kind, text).map((hit) => ({ file, line, ...hit })),
    );
  });

const counts: Record<string, number> = {};
for (const { file } of places) {
  const folder = folderOf(file);
  counts[folder] = (counts[folder] ?? 0) + 1;
}

const listed = process.argv.indexOf("--list");
if (listed !== -1) {
  const start = process.argv[listed + 1] ?? "";
  for (const { file, line, pattern: name, text } of places) {
    if (file.startsWith(start)) console.log(`${file}:${line.toString()}: ${name}: ${text}`);
  }
} else {
  const recorded = JSON.parse(readFileSync(record, "utf8")) as Record<string, number>;
  const { higher, lower, total } = compareCounts(recorded, counts);
  // A file that moves to another folder takes its hits along.
  if (process.argv.includes("--write") && total <= 0) {
    writeFileSync(record, `${JSON.stringify(counts, undefined, 2)}\n`);
  } else if (higher.length > 0) {
    for (const difference of higher) console.error(difference);
    console.error(
      "Use the terms of docs/engineering/writing.md; --list <folder> lists the places.",
    );
    process.exitCode = 1;
  } else if (lower.length > 0) {
    for (const difference of lower) console.error(difference);
    console.error("Record what you improved: node scripts/check-wording.ts --write");
    process.exitCode = 1;
  }
}
