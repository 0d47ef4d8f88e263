import { basename, dirname, matchesGlob, relative, sep } from "node:path";
import type { FileDependency } from "../../manifest/dependency-file.ts";
import { formatOfName } from "../../manifest/file-formats.ts";
import { sameName } from "../../manifest/same-name.ts";
import type { AuditFile } from "./audit-file.ts";
import { findFiles } from "./find-files.ts";
import { assertReadable, readDependencies, textOfFile, type ReadFileResult } from "./read-file.ts";

/** A file below a folder, and what is in it. */
interface Read {
  readonly path: string;
  readonly result: ReadFileResult;
}

/**
 * Reads the files of a command line: each file that was named by itself, and of
 * each folder every known file. Below a folder the manifest that a lock file pins
 * gives only what the lock file lacks. Throws for a path that cannot be read.
 */
export function auditFiles(paths: readonly string[], kind: string): AuditFile[] {
  const files = paths.flatMap((path) => {
    if (path === "-") return [fileOf({ path, result: readDependencies(path, kind) })];
    const found = findFiles(path);
    if ("file" in found) {
      assertReadable(path);
      return [fileOf({ path, result: readDependencies(path, kind) })];
    }
    return folderFiles(found.files);
  });
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function folderFiles(paths: readonly string[]): AuditFile[] {
  const all = paths.map((path) => ({ path, result: readDependencies(path) }));
  const locks = all.filter(({ path }) => pinsOf(path) !== undefined);
  return all.map((read) => {
    const lock = locks.find((candidate) => isPinnedBy(read.path, candidate));
    return lock === undefined ? fileOf(read) : fileOf({ ...read, result: rest(read, lock) });
  });
}

function pinsOf(path: string): RegExp | undefined {
  return formatOfName(basename(path))?.pins;
}

function isPinnedBy(path: string, { path: lock, result }: Read): boolean {
  if (pinsOf(lock)?.test(basename(path)) !== true) return false;
  const folder = withSlashes(relative(dirname(lock), dirname(path))) || ".";
  if (folder === ".") return true;
  if (folder.startsWith("..")) return false;
  const { members = [], memberNames = [] } = result;
  return members.some((member) => isMember(folder, member)) || isNamed(path, memberNames);
}

function isMember(folder: string, member: string): boolean {
  const pattern = member.replace(/^\.\//, "").replace(/\/$/, "");
  return pattern === folder || (pattern.includes("*") && matchesGlob(folder, pattern));
}

/** A crate says its name in its manifest. */
function isNamed(path: string, names: readonly string[]): boolean {
  if (names.length === 0) return false;
  const [, name] = /^\s*name\s*=\s*["']([^"']+)["']/m.exec(textOfFile(path)) ?? [];
  return name !== undefined && names.includes(name);
}

/** What a manifest asks for and its lock file does not have. */
function rest({ result }: Read, lock: Read): ReadFileResult {
  const locked = new Set(lock.result.dependencies.map(keyOf));
  // A lock file that cannot be read pins nothing.
  if (lock.result.unparsed.length > 0 && locked.size === 0) return result;
  return {
    kind: result.kind,
    dependencies: result.dependencies.filter((dependency) => !locked.has(keyOf(dependency))),
    unparsed: result.dependencies.length === 0 ? unreadOnly(result) : [],
  };
}

/** What the lock file says of `git` and `local` it says itself; a manifest that is no manifest is told. */
function unreadOnly({ unparsed }: ReadFileResult): ReadFileResult["unparsed"] {
  return unparsed.filter(({ reason }) => /^(invalid|empty|too_large|unknown)/.test(reason));
}

function keyOf({ ecosystem, name }: FileDependency): string {
  return `${ecosystem} ${sameName(ecosystem, name)}`;
}

function fileOf({ path, result }: Read): AuditFile {
  const { kind, dependencies, unparsed } = result;
  return { path: withSlashes(path), kind, dependencies, unparsed };
}

function withSlashes(path: string): string {
  return path.split(sep).join("/");
}
