import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { formatOfName } from "../../manifest/file-formats.ts";

/** Folders of what was installed or built: the packages in them are named by the lock file above. */
const passedOver = new Set([
  "node_modules",
  "bower_components",
  "vendor",
  "target",
  "dist",
  "build",
  "out",
  "obj",
  "bin",
  "venv",
  "site-packages",
  "__pycache__",
]);

/** What a path of the command line means: a file by itself, or the known files below a folder. */
export type FoundPath =
  | { readonly file: string }
  | { readonly folder: string; readonly files: readonly string[] };

/** Finds the files of a path. Throws for a path that is not there. */
export function findFiles(path: string): FoundPath {
  if (!statSync(path).isDirectory()) return { file: path };
  return { folder: path, files: filesBelow(path) };
}

/** Hidden folders and links are not entered. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((left, right) =>
    left.name < right.name ? -1 : 1,
  );
  const files = entries
    .filter((entry) => entry.isFile() && formatOfName(entry.name) !== undefined)
    .map(({ name }) => join(folder, name));
  const folders = entries.filter((entry) => entry.isDirectory() && isEntered(entry.name));
  return [...files, ...folders.flatMap(({ name }) => filesBelow(join(folder, name)))];
}

function isEntered(name: string): boolean {
  return !name.startsWith(".") && !passedOver.has(basename(name));
}
