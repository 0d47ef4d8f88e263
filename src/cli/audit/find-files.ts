import { opendirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { DependencyFileSyntaxError } from "../../manifest/dependency-file.ts";
import {
  findFileFormatByPath,
  packageManagerSettingsFolders,
} from "../../manifest/file-formats.ts";
import { wrapFileSystemErrors } from "./project-files.ts";
import type { DependencyAuditReadBudget } from "./read-budget.ts";

/** Folders of what was installed or built: the packages in them are named by the lock file above. */
const ignoredFolders = new Set([
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

/** The ignored folders that only package managers write, with very many files. */
const installedFolders = new Set([
  "node_modules",
  "bower_components",
  "venv",
  "site-packages",
  "__pycache__",
]);

/** Entries of folders that are looked at; a folder of a stranger may hold any number. */
const maxEntries = 1_000_000;
/** Folders within one another. Each look-up of a file takes longer the deeper it is. */
const maxDepth = 64;

/** Files of a folder, by their paths from it, and folders that are left out, each with the reason. */
export interface AuditFileSearchResult {
  readonly files: string[];
  readonly skipped: { readonly path: string; readonly reason: string }[];
  /** Folders that are not entered because of their names, and hold a known file. */
  readonly ignored: string[];
}

/**
 * Finds the known files below a folder, whatever they are: a link or a pipe among them is reported
 * by its reader. Ends at the first limit that is reached, with one entry in `skipped` that says so.
 */
export function findDependencyFiles(
  root: string,
  budget: DependencyAuditReadBudget,
): AuditFileSearchResult {
  const found: AuditFileSearchResult = { files: [], skipped: [], ignored: [] };
  try {
    findInto(found, root, budget);
  } catch (error) {
    if (!(error instanceof DependencyFileSyntaxError)) throw error;
    found.skipped.push({ path: ".", reason: error.message });
  }
  return found;
}

/** A folder that is still to be looked at. */
interface OpenFolder {
  readonly path: string;
  readonly depth: number;
}

/** Linked folders are not entered, nor hidden ones but for those of settings. Throws `DependencyFileSyntaxError` at a limit of the whole. */
function findInto(
  found: AuditFileSearchResult,
  root: string,
  budget: DependencyAuditReadBudget,
): void {
  let remaining = maxEntries;
  const open: OpenFolder[] = [{ path: ".", depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, depth } = next;
    const entries = entriesOf(found, join(root, path), path, remaining);
    remaining -= entries.length;
    for (const { name } of entries) take(join(path, name));
    takeSettings(path, entries, "");
    const folders = entries.filter(
      (entry) => entry.isDirectory() && isSearchableFolder(entry.name),
    );
    for (const { name } of entries.filter(isIgnoredFolder)) {
      const inner = entriesOf(found, join(root, path, name), join(path, name), remaining);
      remaining -= inner.length;
      if (inner.some((each) => isKnownFile(each.name))) found.ignored.push(join(path, name));
    }
    if (depth === maxDepth && folders.length > 0) {
      const reason = `too_many: folders that are ${maxDepth.toString()} deep are not entered`;
      found.skipped.push({ path, reason });
    } else {
      for (const { name } of folders.toReversed()) {
        open.push({ path: join(path, name), depth: depth + 1 });
      }
    }
  }

  /** Enters the folders of settings among the entries of a path; `above` is the folder of settings that it is. */
  function takeSettings(path: string, entries: readonly Dirent[], above: string): void {
    for (const entry of entries) {
      const name = `${above}${entry.name}`;
      if (!packageManagerSettingsFolders.has(name)) continue;
      const folder = join(path, entry.name);
      if (entry.isSymbolicLink()) {
        found.skipped.push({ path: folder, reason: "not_a_file: it is a link" });
      }
      if (!entry.isDirectory()) continue;
      const inner = entriesOf(found, join(root, folder), folder, remaining);
      remaining -= inner.length;
      for (const each of inner) take(join(folder, each.name), name);
      takeSettings(folder, inner, `${name}/`);
    }
  }

  /** Of a hidden folder only the settings that belong there are files of the project. */
  function take(path: string, folder?: string): void {
    const format = findFileFormatByPath(path);
    if (format === undefined || format.folder !== folder) return;
    budget.take("files");
    found.files.push(path);
  }
}

/** Entries of one folder by name; none of a folder that cannot be read. Throws if there are more than `most`. */
function entriesOf(
  { skipped }: AuditFileSearchResult,
  path: string,
  shown: string,
  most: number,
): Dirent[] {
  const entries: Dirent[] = [];
  try {
    const folder = wrapFileSystemErrors(() => opendirSync(path));
    try {
      for (let entry = wrapFileSystemErrors(() => folder.readSync()); entry !== null;) {
        if (entries.length === most) throw tooManyEntriesError();
        entries.push(entry);
        entry = wrapFileSystemErrors(() => folder.readSync());
      }
    } finally {
      folder.closeSync();
    }
  } catch (error) {
    if (!(error instanceof DependencyFileSyntaxError) || error.message.startsWith("too_many:"))
      throw error;
    skipped.push({ path: shown, reason: error.message });
  }
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function tooManyEntriesError(): DependencyFileSyntaxError {
  return new DependencyFileSyntaxError(
    `too_many: only the first ${maxEntries.toString()} entries of folders are looked at`,
  );
}

/** A folder with the name of what was built, in which a part of the project may stand all the same. */
function isIgnoredFolder(entry: Dirent): boolean {
  return entry.isDirectory() && ignoredFolders.has(entry.name) && !installedFolders.has(entry.name);
}

function isKnownFile(name: string): boolean {
  const format = findFileFormatByPath(name);
  return format !== undefined && format.folder === undefined;
}

/** Whether the search enters a folder of this name. */
export function isSearchableFolder(name: string): boolean {
  return !name.startsWith(".") && !ignoredFolders.has(name);
}
