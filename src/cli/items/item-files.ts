import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const names: ReadonlySet<string> = new Set(["SKILL.md", "AGENTS.md"]);

/**
 * The files that a path means: itself, or of a folder its `SKILL.md`, its `AGENTS.md` and
 * the `SKILL.md` of each folder right below it. Throws for a path that means none.
 */
export function findLocalExtensionFiles(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) {
    if (names.has(basename(path))) return [path];
    throw new Error(`${path} is neither a SKILL.md nor an AGENTS.md nor a folder of them`);
  }
  const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const below = folders.map(({ name }) => join(path, name, "SKILL.md")).toSorted();
  const files = [...names].map((name) => join(path, name));
  const found = [...files, ...below].filter((file) => existsSync(file));
  if (found.length > 0) return found;
  throw new Error(`${path} has no SKILL.md and no AGENTS.md, nor has a folder right below it`);
}
