import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "../support/causeway-process.ts";
import { runTool } from "../../scripts/run-tool.ts";

/** Puts a text between the two marks that a page of `docs/` has for it. */
export async function writeSection(page: string, mark: string, text: string): Promise<void> {
  const path = join(repository, "docs", page);
  const begin = `<!-- ${mark}: written by npm run ${mark} -->`;
  const end = `<!-- ${mark}: end -->`;
  const before = await readFile(path, "utf8");
  const from = before.indexOf(begin);
  const to = before.indexOf(end);
  if (from === -1 || to < from)
    throw new Error(`docs/${page} has no place for the table of ${mark}.`);
  const head = before.slice(0, from + begin.length);
  await writeFile(path, `${head}\n\n${text}\n\n${before.slice(to)}`);
  await runTool("oxfmt", [path]);
}
