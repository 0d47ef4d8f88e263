import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { UnreadableText } from "../../manifest/dependency-file.ts";
import { formatOfName } from "../../manifest/file-formats.ts";
import { orUnreadable } from "./project-files.ts";

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

/** The number of files that are read of one folder. */
const maxFiles = 10_000;

/** Files of a folder, by their paths from it, and folders that are left out, each with the reason. */
export interface FoundFiles {
  readonly files: string[];
  readonly skipped: { readonly path: string; readonly reason: string }[];
}

/** Finds the known files below a folder, whatever they are: a link or a pipe among them is reported by its reader. */
export function findFiles(root: string): FoundFiles {
  const found: FoundFiles = { files: [], skipped: [] };
  findInto(found, root, ".");
  if (found.files.length > maxFiles) {
    const reason = `too_many: only the first ${maxFiles.toString()} files are read`;
    found.skipped.push({ path: ".", reason });
    found.files.length = maxFiles;
  }
  return found;
}

/** Hidden folders and linked folders are not entered. */
function findInto(found: FoundFiles, root: string, folder: string): void {
  if (found.files.length > maxFiles) return;
  const entries = entriesOf(found, root, folder);
  const known = entries.filter(({ name }) => formatOfName(name) !== undefined);
  found.files.push(...known.map(({ name }) => join(folder, name)));
  for (const entry of entries) {
    if (entry.isDirectory() && isEntered(entry.name)) {
      findInto(found, root, join(folder, entry.name));
    }
  }
}

function entriesOf({ skipped }: FoundFiles, root: string, folder: string): Dirent[] {
  try {
    const entries = orUnreadable(() => readdirSync(join(root, folder), { withFileTypes: true }));
    return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    skipped.push({ path: folder, reason: error.message });
    return [];
  }
}

function isEntered(name: string): boolean {
  return !name.startsWith(".") && !passedOver.has(name);
}
