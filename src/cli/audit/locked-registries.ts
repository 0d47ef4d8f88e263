import semver from "semver";
import { memoizeByObject } from "../../manifest/document/derive-once.ts";
import type { DependencyFile, AlternativeRegistryPackage } from "../../manifest/dependency-file.ts";

/** The number of versions of one package that are compared. */
const maxVersions = 20;

/**
 * Returns the registries of a Cargo.toml whose packages its lock file has from one host each. A
 * manifest has a name for a registry, and the lock file its host: a name that means two hosts, and
 * two names that mean one, were changed after the lock file was made.
 */
export function findSingleHostCargoRegistries(
  manifest: DependencyFile,
  lock: DependencyFile,
): ReadonlySet<string> {
  const locked = packagesByName(lock);
  const hosts = new Map<string, Set<string | undefined>>();
  for (const asked of manifest.registryPackages ?? []) {
    const known = hosts.get(asked.registry) ?? new Set();
    hosts.set(asked.registry, known);
    for (const host of hostsOf(asked, locked.get(asked.name))) known.add(host);
  }
  const single = [...hosts].flatMap(([registry, [host, ...others]]) =>
    host === undefined || others.length > 0 || !canBe(registry, host) ? [] : [{ registry, host }],
  );
  const registriesOf = Map.groupBy(single, ({ host }) => host);
  return new Set(
    [...registriesOf.values()].flatMap(([first, ...others]) =>
      first === undefined || others.length > 0 ? [] : [first.registry],
    ),
  );
}

/** A manifest may have the address of a registry in place of a name, which has letters, digits, `-` and `_`. */
function canBe(registry: string, host: string): boolean {
  return registry === host || /^[\w-]+$/.test(registry);
}

/** Many manifests are held against one lock file. */
const packagesByName = memoizeByObject((lock: DependencyFile) => {
  const byName = new Map<string, AlternativeRegistryPackage[]>();
  for (const each of lock.registryPackages ?? []) {
    const known = byName.get(each.name);
    if (known === undefined) byName.set(each.name, [each]);
    else if (known.length < maxVersions) known.push(each);
  }
  return byName;
});

/** Hosts of the locked versions that fit; undefined if no other registry has a fitting version. */
function hostsOf(
  { requested }: AlternativeRegistryPackage,
  locked: readonly AlternativeRegistryPackage[] = [],
): readonly (string | undefined)[] {
  const fitting = locked.filter((each) => isInCargoVersionRange(each.requested, requested));
  return fitting.length === 0 ? [undefined] : fitting.map(({ registry }) => registry);
}

/** Whether a version fits a requirement of Cargo. Any version fits an unreadable requirement. */
export function isInCargoVersionRange(version: string, requested: string): boolean {
  const parts = requested.split(",").map((part) => part.trim().replace(/^(?=\d)/, "^"));
  const range = parts.join(" ");
  if (semver.validRange(range) === null) return true;
  return semver.satisfies(version, range, { loose: true, includePrerelease: true });
}
