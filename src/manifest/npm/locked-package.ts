import { isJsonObject } from "../../platform/json-value.ts";
import { DependencyFileSyntaxError } from "../dependency-file.ts";
import semver from "semver";
import { parseNpmSpecifier } from "../package-json/npm-spec.ts";

/** A package as a lock file of npm pins it. */
export interface LockedNpmIdentity {
  readonly name: string;
  readonly version?: string;
  /** Why npm would not fetch that version of that name from the registry. */
  readonly reason?: string;
}

/** Reads the name and version of an entry; npm takes an alias and an address for a version too. */
export function parseLockedNpmIdentity(
  name: string,
  version: string | undefined,
): LockedNpmIdentity {
  if (version === undefined) return { name };
  // Nearly all are exact versions; the parser of specifiers refuses names that npm once allowed.
  if (semver.valid(version) === version) return { name, version };
  const read = parseNpmSpecifier(name, version);
  if ("reason" in read) return { name, version, reason: read.reason };
  return { name: read.name, version: read.version ?? version };
}

/** Throws `DependencyFileSyntaxError` unless the packages of a lock file are an object, or left out. */
export function assertNpmLockPackagesObject(value: unknown): void {
  if (value === undefined || value === null || isJsonObject(value)) return;
  throw new DependencyFileSyntaxError("invalid_lock: its packages are not an object", 1);
}
