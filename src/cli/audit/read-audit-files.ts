import { statSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import type {
  FileDependency,
  UnparsableDependencyFileText,
} from "../../manifest/dependency-file.ts";
import { findFileFormatByPath } from "../../manifest/file-formats.ts";
import type { DependencyFileToAudit, UnparsableTextLocation } from "./audit-file.ts";
import { findDependencyFiles, isSearchableFolder } from "./find-files.ts";
import { createWorkspaceMemberTest } from "./member-patterns.ts";
import { AuditedFolderReader } from "./project-files.ts";
import { DependencyAuditReadBudget } from "./read-budget.ts";
import {
  readDependencyFileArgument,
  readFoundDependencyFile,
  readStandardInputDependencies,
  createUnreadFileResult,
  type ParsedDependencyFile,
} from "./read-file.ts";
import { getSafeUnparsedText, redactUrlSecrets } from "./shown-text.ts";
import {
  indexLockedPackages,
  omitLockedDependencies,
  type LockedPackagesIndex,
} from "./unlocked-part.ts";

/** A file by its path from the folder that was named, and what is in it. */
interface Read {
  readonly path: string;
  readonly result: ParsedDependencyFile;
}

/** A lock file, and what it pins; made once, since many manifests may be held against it. */
interface Lock extends Read, LockedPackagesIndex {
  /** With slashes. */
  readonly folder: string;
  /** Names of the manifests that it pins. */
  readonly pins: RegExp;
  readonly memberNames: ReadonlySet<string>;
  readonly isMember: (folder: string) => boolean;
}

/**
 * Reads the files of a command line: each file that was named by itself, and of
 * each folder every known file. Below a folder the manifest that a lock file pins
 * gives only what the lock file lacks. Throws for a path that cannot be read.
 */
export function readAuditFiles(
  paths: readonly string[],
  kind: string,
  budget = new DependencyAuditReadBudget(),
): DependencyFileToAudit[] {
  const files = paths.flatMap((path) => {
    if (path === "-")
      return [fileOf({ path, result: readStandardInputDependencies(kind, budget) })];
    if (statSync(path).isDirectory()) return folderFiles(path, budget);
    return [fileOf({ path, result: readDependencyFileArgument(path, kind, budget) })];
  });
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function folderFiles(folder: string, budget: DependencyAuditReadBudget): DependencyFileToAudit[] {
  const files = new AuditedFolderReader(folder, budget);
  const found = findDependencyFiles(folder, budget);
  const all = found.files.map((path) => ({
    path,
    result: readFoundDependencyFile(files, path, budget),
  }));
  const paths = new Set(found.files.map(withSlashes));
  const locks = locksByFolder(all);
  const read = all.map((each) => {
    const manifest = { ...each, path: withSlashes(each.path) };
    const pinning = foldersAbove(each.path)
      .flatMap((above) => locks.get(above) ?? [])
      .filter((candidate) => isPinnedBy(manifest, candidate));
    if (pinning.length === 0) return each;
    return { ...each, result: omitLockedDependencies(manifest, pinning, paths) };
  });
  const skipped = [
    ...found.skipped,
    ...hiddenMembers(all, found.ignored.map(withSlashes)),
    ...outerMembers(all),
    ...unreadModules(all, paths),
  ].map(({ path, reason }) => ({
    path,
    result: createUnreadFileResult("unknown", path, reason),
  }));
  return mergeByPath([...read, ...skipped]).map(({ path, result }) =>
    fileOf({ path: join(folder, path), result }),
  );
}

/** Adds the rows about a path to the file that was read there, if any. */
function mergeByPath(all: readonly Read[]): Read[] {
  const merged = new Map<string, Read>();
  for (const each of all) {
    const path = withSlashes(each.path);
    const first = merged.get(path);
    const skipped = [...(first?.result.skipped ?? []), ...each.result.skipped];
    merged.set(
      path,
      first === undefined ? each : { ...first, result: { ...first.result, skipped } },
    );
  }
  return [...merged.values()];
}

/** Folders, or patterns of them, that a file counts to the project and the search passes over. */
function hiddenMembers(all: readonly Read[], ignored: readonly string[]) {
  const matched = all.flatMap(({ path, result: { members = [] } }) => {
    if (members.length === 0 || ignored.length === 0) return [];
    const folder = withSlashes(dirname(path));
    const isMember = createWorkspaceMemberTest(members);
    return ignored.filter((each) => {
      const inside = posix.relative(folder, each);
      return !inside.startsWith("..") && isMember(inside);
    });
  });
  const named = all.flatMap(({ path, result }) =>
    (result.members ?? [])
      .filter((member) => !/^[/!]/.test(member))
      .map((member) => withSlashes(join(dirname(path), member)))
      .filter((member) => member !== "." && !member.startsWith(".."))
      .filter(
        (member) => !member.split("/").every((name) => name === "" || isSearchableFolder(name)),
      ),
  );
  const reason = "not_entered: its manifest is part of the project and is not read";
  return [...new Set([...named, ...matched])].map((path) => ({ path, reason }));
}

/** Poms that a pom names as modules and the search does not find: files of other names, and missing ones. */
function unreadModules(all: readonly Read[], paths: ReadonlySet<string>) {
  const modules = all
    .filter(({ result }) => result.kind === "pom.xml")
    .flatMap(({ path, result: { members = [] } }) =>
      members
        .filter((member) => !isOuter(path, member))
        .map((member) => withSlashes(join(dirname(path), member.replaceAll("\\", "/")))),
    )
    .filter((module) => module.split("/").every((name) => name === "" || isSearchableFolder(name)))
    .map((module) => (module.endsWith(".xml") ? module : posix.join(module, "pom.xml")));
  const reason = "not_entered: a module is not read";
  return [...new Set(modules)].filter((path) => !paths.has(path)).map((path) => ({ path, reason }));
}

/** Manifests and settings with folders above the audited folder that are parts of the project. */
function outerMembers(all: readonly Read[]) {
  const reason = "outside: a folder that it counts to the project is not read";
  return all
    .filter(
      ({ path, result }) =>
        pinsOf(path) === undefined &&
        !reportsOuter.has(result.kind) &&
        hasOuterMember(path, result),
    )
    .map(({ path }) => ({ path, reason }));
}

/** Formats whose readers report such folders themselves, each with its line. */
const reportsOuter: ReadonlySet<string> = new Set(["go.work"]);

function hasOuterMember(path: string, { members = [] }: ParsedDependencyFile): boolean {
  return members.some((member) => isOuter(path, member));
}

/** Returns whether a member of a file is above the audited folder. */
function isOuter(path: string, member: string): boolean {
  return (
    /^(?:[\\/]|[A-Za-z]:)/.test(member) ||
    /^\.\.(?:\/|$)/.test(withSlashes(join(dirname(path), member)))
  );
}

/** Lock files by their folder, so that a manifest is held against those above it alone. */
function locksByFolder(all: readonly Read[]): ReadonlyMap<string, readonly Lock[]> {
  const locks = new Map<string, Lock[]>();
  for (const read of all) {
    const pins = pinsOf(read.path);
    if (pins === undefined) continue;
    const folder = dirname(read.path);
    const known = locks.get(folder);
    const isMember = createWorkspaceMemberTest(read.result.members ?? []);
    const memberNames = new Set(read.result.memberNames);
    const index = indexLockedPackages(read.result);
    const lock = { ...read, ...index, isMember, memberNames, pins, folder: withSlashes(folder) };
    if (known === undefined) locks.set(folder, [lock]);
    else known.push(lock);
  }
  return locks;
}

/** The folder of a path and those that it is in, the outermost first. */
function foldersAbove(path: string): string[] {
  const folders = [dirname(path)];
  for (let folder = dirname(path); folder !== ".";) folders.push((folder = dirname(folder)));
  return folders.toReversed();
}

function pinsOf(path: string): RegExp | undefined {
  return findFileFormatByPath(path)?.pins;
}

/** Returns whether a lock file in the folder of a manifest, or in one above it, pins the manifest. Its path has slashes. */
function isPinnedBy(
  { path, result: { ownName } }: Read,
  { folder: lockFolder, pins, isMember, memberNames }: Lock,
): boolean {
  if (!pins.test(posix.basename(path))) return false;
  const own = posix.dirname(path);
  if (own === lockFolder) return true;
  const folder = lockFolder === "." ? own : own.slice(lockFolder.length + 1);
  return isMember(folder) || (ownName !== undefined && memberNames.has(ownName));
}

function fileOf({ path, result }: Read): DependencyFileToAudit {
  const { kind, dependencies, unparsed, skipped } = result;
  const placeOf = (
    part: UnparsableDependencyFileText,
    shown: string | undefined,
  ): UnparsableTextLocation => ({
    ...part,
    file: withSlashes(part.file === undefined ? path : join(dirname(path), part.file)),
    shown,
    reason: redactUrlSecrets(part.reason),
  });
  return {
    path: withSlashes(path),
    kind,
    dependencies: dependencies.map(dependencyWithoutSecrets),
    unparsed: [
      ...unparsed.map((part) => placeOf(part, getSafeUnparsedText(kind, part))),
      ...skipped.map((part) => placeOf(part, part.text)),
    ],
  };
}

/** A package is asked about, and shown, without the password of an address that stands for its version. */
function dependencyWithoutSecrets(dependency: FileDependency): FileDependency {
  const { name, requested, version, paths } = dependency;
  return {
    ...dependency,
    name: redactUrlSecrets(name),
    requested: requested === null ? null : redactUrlSecrets(requested),
    ...(version !== undefined && { version: redactUrlSecrets(version) }),
    paths: paths.map((path) => path.map(redactUrlSecrets)),
  };
}

function withSlashes(path: string): string {
  return path.split(sep).join("/");
}
