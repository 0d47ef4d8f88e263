import { posix } from "node:path";
import { filter, valid } from "@renovatebot/pep440";
import semver from "semver";
import {
  toDeclaredRequirementKey,
  type FileDependency,
  type UnparsableDependencyFileText,
} from "../../manifest/dependency-file.ts";
import { isInNugetVersionRange } from "../../manifest/nuget/nuget-version.ts";
import { extractSkipReasonCode } from "../../manifest/manifest.ts";
import { normalizePackageName } from "../../manifest/normalize-name.ts";
import type { PackageEcosystem } from "../../platform/ecosystem.ts";
import { isInCargoVersionRange, findSingleHostCargoRegistries } from "./locked-registries.ts";
import type { ParsedDependencyFile } from "./read-file.ts";

/** A manifest by its path from the folder that is audited, with slashes. */
export interface AuditedManifest {
  readonly path: string;
  readonly result: ParsedDependencyFile;
}

/** What a lock file has, for look-ups. */
export interface LockedPackagesIndex {
  readonly result: ParsedDependencyFile;
  readonly locked: ReadonlyMap<string, readonly string[]>;
  /** Names of all that it has. */
  readonly names: ReadonlySet<string>;
  /** Names of packages of the project itself. */
  readonly ownNames: ReadonlySet<string>;
  /** Of what it reports as unread the addresses by `kind name`; an empty one where it has none. */
  readonly sources: ReadonlyMap<string, ReadonlySet<string>>;
  /** And `kind address` and `kind text`, of which the kinds are the words of reasons. */
  readonly places: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
}

export function indexLockedPackages(result: ParsedDependencyFile): LockedPackagesIndex {
  const { dependencies, unparsed, kind } = result;
  const nameOf = (name = "") => lockedName(kind, name);
  return {
    result,
    locked: lockedVersions(dependencies),
    names: new Set([...dependencies, ...unparsed].map(({ name }) => nameOf(name))),
    ownNames: new Set((result.memberNames ?? []).map(nameOf)),
    sources: sourcesByName(result),
    places: new Set(
      unparsed.flatMap(({ reason, address }) =>
        address === undefined ? [] : placeKey(extractSkipReasonCode(reason), address),
      ),
    ),
    texts: new Set(unparsed.map(({ text, reason }) => `${extractSkipReasonCode(reason)} ${text}`)),
  };
}

function sourcesByName({ kind, unparsed }: ParsedDependencyFile): ReadonlyMap<string, Set<string>> {
  const sources = new Map<string, Set<string>>();
  for (const { name, reason, address = "" } of unparsed) {
    if (name === undefined) continue;
    const key = `${extractSkipReasonCode(reason)} ${lockedName(kind, name)}`;
    const known = sources.get(key) ?? new Set();
    sources.set(key, known.add(addressKey(address)));
  }
  return sources;
}

/** Manifests and lock files of these may spell a name in several ways. */
function lockedName(kind: string, name: string): string {
  const ecosystem = ecosystemOf.get(kind);
  return ecosystem === undefined ? name : normalizePackageName(ecosystem, name);
}

const ecosystemOf: ReadonlyMap<string, PackageEcosystem> = new Map([
  ["pyproject.toml", "pypi"],
  ["Pipfile", "pypi"],
  ["uv.lock", "pypi"],
  ["poetry.lock", "pypi"],
  ["pdm.lock", "pypi"],
  ["Pipfile.lock", "pypi"],
  ["Cargo.toml", "cargo"],
  ["Cargo.lock", "cargo"],
  ["composer.json", "packagist"],
  ["composer.lock", "packagist"],
]);

/**
 * Returns what a manifest asks for and one of its lock files does not have: an installer takes a
 * version that fits from the lock file that it knows, and all else from where the manifest says.
 * `found` are the paths of all files that are read.
 */
export function omitLockedDependencies(
  { path, result }: AuditedManifest,
  locks: readonly LockedPackagesIndex[],
  found: ReadonlySet<string>,
): ParsedDependencyFile {
  const registries = new Map(
    locks.map((lock) => [lock, findSingleHostCargoRegistries(result, lock.result)]),
  );
  return {
    ...result,
    dependencies: result.dependencies.filter(
      (each) => !locks.every((lock) => !isBroken(lock) && hasFitting(each, lock.locked)),
    ),
    unparsed: result.unparsed.filter(
      (part) =>
        !locks.every(
          (lock) => !isBroken(lock) && isLockedText(part, result, lock, registries.get(lock)),
        ) &&
        (locks.every(isBroken) || !leadsToManifest(part, path, found)),
    ),
  };
}

/** A lock file that cannot be read pins nothing. */
function isBroken({ result, locked }: LockedPackagesIndex): boolean {
  return locked.size === 0 && (result.unparsed.length > 0 || result.skipped.length > 0);
}

/** Versions that a lock file has of each package. */
function lockedVersions(dependencies: readonly FileDependency[]): ReadonlyMap<string, string[]> {
  const locked = new Map<string, string[]>();
  for (const dependency of dependencies) {
    const { version = "" } = dependency;
    const versions = locked.get(keyOf(dependency));
    if (versions === undefined) locked.set(keyOf(dependency), [version]);
    // A project may ask for a package under any number of names: each is held against these.
    else if (versions.length < maxVersions) versions.push(version);
  }
  return locked;
}

const maxVersions = 20;

/**
 * Of ecosystems whose ranges are not read here, and of tags, any version counts; of an exact
 * version the locked one must be the same, or of Gradle not a lower one.
 */
function hasFitting(
  dependency: FileDependency,
  locked: ReadonlyMap<string, readonly string[]>,
): boolean {
  const versions = locked.get(keyOf(dependency));
  if (versions === undefined) return false;
  const { ecosystem, version, constraint, requested } = dependency;
  if (ecosystem === "cargo") {
    return versions.some((each) => isInCargoVersionRange(each, requested ?? ""));
  }
  const isRange = constraint === "range" || constraint === "range_with_prereleases";
  const range = isRange || version !== undefined ? (requested ?? "") : "";
  if (range === "") return true;
  if (ecosystem === "npm") {
    return versions.some((each) =>
      semver.satisfies(each, range, { loose: true, includePrerelease: true }),
    );
  }
  if (ecosystem === "nuget") return versions.some((each) => isInNugetVersionRange(each, range));
  if (ecosystem === "pypi") {
    // Versions of old packages may break the rules of today.
    const readable = versions.filter((each) => valid(each) !== null);
    return filter(readable, range, { prereleases: true }).length > 0;
  }
  if (ecosystem === "maven") return versions.some((each) => isGradleChoice(each, range));
  return ecosystem === "go" || versions.some((each) => isSameVersion(each, version ?? range));
}

/** Versions of Ruby may have a platform behind them. */
function isSameVersion(locked: string, version: string): boolean {
  const [one, other] = [locked, version].map((each) => each.toLowerCase().replace(/^v(?=\d)/, ""));
  if (one === undefined || other === undefined) return false;
  const [first, second] = [one, other].map(withoutZeros);
  return first === second || one.startsWith(`${other}-`);
}

/** `1.0.0` is 1. */
function withoutZeros(version: string): string {
  const parts = version.split(".");
  while (parts.length > 1 && parts.at(-1) === "0") parts.pop();
  return parts.join(".");
}

/** Gradle takes the highest version that anything asks for, and one with `!!` as it is. */
function isGradleChoice(locked: string, requested: string): boolean {
  const [version = "", strict] = requested.split("!!", 2);
  if (locked === version) return true;
  if (strict !== undefined) return false;
  const [one, other] = [locked, version].map((each) => each.match(/\d+/g) ?? []);
  const length = Math.max(one?.length ?? 0, other?.length ?? 0);
  const differences = Array.from(
    { length },
    (_, at) => Number(one?.[at] ?? 0) - Number(other?.[at] ?? 0),
  );
  return (differences.find((each) => each !== 0) ?? -1) > 0;
}

function keyOf({ ecosystem, name }: FileDependency): string {
  return `${ecosystem} ${normalizePackageName(ecosystem, name)}`;
}

/**
 * Whether a lock file has what a text of a manifest is about, or reports it itself: by what the
 * manifest asked for when the file was made, else by the name and where that comes from.
 */
function isLockedText(
  part: UnparsableDependencyFileText,
  manifest: ParsedDependencyFile,
  lock: LockedPackagesIndex,
  registries: ReadonlySet<string> | undefined,
): boolean {
  const { name, requested = "", reason, text, address } = part;
  const { requests } = lock.result;
  const kind = extractSkipReasonCode(reason);
  if (manifest.kind === "package.json" && requests !== undefined) {
    return (
      name !== undefined &&
      lock.names.has(name) &&
      requests.has(toDeclaredRequirementKey(name, requested))
    );
  }
  if (kind === "registry" && manifest.kind === "Cargo.toml") {
    return registries?.has(text) === true;
  }
  if (lock.texts.has(`${kind} ${text}`)) return true;
  // A block of gems of one repository has no name.
  if (name === undefined) {
    const isBlock = manifest.kind === "Gemfile" && address !== undefined;
    return isBlock && lock.places.has(placeKey(kind, address));
  }
  const known = lockedName(manifest.kind, name);
  if (kind === "local" && lock.ownNames.has(known)) return true;
  // Of a range that is not read any locked version counts, which is assessed.
  if (kind === "invalid_specifier" && lock.names.has(known)) return true;
  return isSameSource(part, manifest, lock.sources.get(`${kind} ${known}`));
}

/** Whether a text leads to one of the addresses that a lock file has for its name. */
function isSameSource(
  { reason, address }: UnparsableDependencyFileText,
  { kind }: ParsedDependencyFile,
  sources: ReadonlySet<string> | undefined,
): boolean {
  if (sources === undefined) return false;
  // A composer.json has its repositories in a list of their own, and package.json no address.
  if (kind === "composer.json" || kind === "package.json" || sources.has("")) return true;
  // A folder is written as it is seen from the file.
  if (extractSkipReasonCode(reason) === "local" && address?.includes("://") !== true) return true;
  return address !== undefined && sources.has(addressKey(address));
}

function placeKey(kind: string, address: string): string {
  return `${kind} ${addressKey(address)}`;
}

function addressKey(address: string): string {
  return address.replace(/\/$/, "").replace(/\.git$/, "");
}

/** Whether an entry means a folder of the project whose manifest is read by itself. */
function leadsToManifest(
  { reason, requested }: UnparsableDependencyFileText,
  path: string,
  found: ReadonlySet<string>,
): boolean {
  if (extractSkipReasonCode(reason) !== "local" || requested === undefined) return false;
  if (requested.startsWith("workspace:")) return true;
  const folder = requested.replace(/^(?:file|link|portal):/, "");
  if (folder.startsWith("/")) return false;
  return found.has(posix.join(posix.dirname(path), folder, posix.basename(path)));
}
