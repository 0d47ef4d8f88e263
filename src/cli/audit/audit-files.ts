import { statSync } from "node:fs";
import { basename, dirname, join, matchesGlob, relative, sep } from "node:path";
import {
  UnreadableText,
  type FileDependency,
  type UnparsedPart,
} from "../../manifest/dependency-file.ts";
import { formatOfName } from "../../manifest/file-formats.ts";
import { sameName } from "../../manifest/same-name.ts";
import type { AuditFile, UnparsedPlace } from "./audit-file.ts";
import { findFiles } from "./find-files.ts";
import { ProjectFiles } from "./project-files.ts";
import {
  readNamedFile,
  readFoundFile,
  readStandardInput,
  unread,
  type ReadFileResult,
} from "./read-file.ts";
import { shownText, withoutSecrets } from "./shown-text.ts";

/** A file by its path from the folder that was named, and what is in it. */
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
    if (path === "-") return [fileOf({ path, result: readStandardInput(kind) })];
    if (statSync(path).isDirectory()) return folderFiles(path);
    return [fileOf({ path, result: readNamedFile(path, kind) })];
  });
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function folderFiles(folder: string): AuditFile[] {
  const files = new ProjectFiles(folder);
  const found = findFiles(folder);
  const all = found.files.map((path) => ({ path, result: readFoundFile(files, path) }));
  const locks = all.filter(({ path }) => pinsOf(path) !== undefined);
  const read = all.map((each) => {
    const lock = locks.find((candidate) => isPinnedBy(each.path, candidate, files));
    return lock === undefined ? each : { ...each, result: rest(each, lock) };
  });
  const skipped = found.skipped.map(({ path, reason }) => ({
    path,
    result: unread("unknown", path, reason),
  }));
  return [...read, ...skipped].map(({ path, result }) =>
    fileOf({ path: join(folder, path), result }),
  );
}

function pinsOf(path: string): RegExp | undefined {
  return formatOfName(basename(path))?.pins;
}

function isPinnedBy(path: string, { path: lock, result }: Read, files: ProjectFiles): boolean {
  if (pinsOf(lock)?.test(basename(path)) !== true) return false;
  const folder = withSlashes(relative(dirname(lock), dirname(path))) || ".";
  if (folder === ".") return true;
  if (folder.startsWith("..")) return false;
  const { members = [], memberNames = [] } = result;
  return members.some((member) => isMember(folder, member)) || isNamed(path, memberNames, files);
}

function isMember(folder: string, member: string): boolean {
  const pattern = member.replace(/^\.\//, "").replace(/\/$/, "");
  return pattern === folder || (pattern.includes("*") && matchesGlob(folder, pattern));
}

/** A crate says its name in its manifest. */
function isNamed(path: string, names: readonly string[], files: ProjectFiles): boolean {
  if (names.length === 0) return false;
  const [, name] = /^[ \t]*name[ \t]*=[ \t]*["']([^"'\n]+)["']/m.exec(textOf(path, files)) ?? [];
  return name !== undefined && names.includes(name);
}

/** Empty for a file that cannot be read, which its own result reports. */
function textOf(path: string, files: ProjectFiles): string {
  try {
    return files.read(path);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    return "";
  }
}

/** What a manifest asks for and its lock file does not have. */
function rest({ result }: Read, lock: Read): ReadFileResult {
  const locked = new Set(lock.result.dependencies.map(keyOf));
  // A lock file that cannot be read pins nothing.
  const isBroken = lock.result.unparsed.length > 0 || lock.result.skipped.length > 0;
  if (isBroken && locked.size === 0) return result;
  // The lock file reports `git` and `local` itself; a manifest that is no manifest is reported here.
  const invalid = result.unparsed.filter(({ reason }) => reason.startsWith("invalid"));
  return {
    ...result,
    dependencies: result.dependencies.filter((dependency) => !locked.has(keyOf(dependency))),
    unparsed: result.dependencies.length === 0 ? invalid : [],
  };
}

function keyOf({ ecosystem, name }: FileDependency): string {
  return `${ecosystem} ${sameName(ecosystem, name)}`;
}

function fileOf({ path, result }: Read): AuditFile {
  const { kind, dependencies, unparsed, skipped } = result;
  const placeOf = (part: UnparsedPart, shown: string | undefined): UnparsedPlace => ({
    ...part,
    file: withSlashes(part.file === undefined ? path : join(dirname(path), part.file)),
    shown,
    reason: withoutSecrets(part.reason),
  });
  return {
    path: withSlashes(path),
    kind,
    dependencies: dependencies.map(dependencyWithoutSecrets),
    unparsed: [
      ...unparsed.map((part) => placeOf(part, shownText(kind, part))),
      ...skipped.map((part) => placeOf(part, part.text)),
    ],
  };
}

/** A package is asked about, and shown, without the password of an address that stands for its version. */
function dependencyWithoutSecrets(dependency: FileDependency): FileDependency {
  const { name, requested, version, paths } = dependency;
  return {
    ...dependency,
    name: withoutSecrets(name),
    requested: requested === null ? null : withoutSecrets(requested),
    ...(version !== undefined && { version: withoutSecrets(version) }),
    paths: paths.map((path) => path.map(withoutSecrets)),
  };
}

function withSlashes(path: string): string {
  return path.split(sep).join("/");
}
