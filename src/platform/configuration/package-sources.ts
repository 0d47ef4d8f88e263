import type { ConfigurationFile } from "./configuration-file.ts";

/** Where packages, and what is said of them, are looked up. */
export interface PackageDataSourceSettings {
  /** Base addresses by ecosystem; a missing one: the registry's own. */
  readonly registries: Readonly<Record<string, string>>;
  /** Base addresses by source; a missing one: the public one; `off`: not asked. */
  readonly sources: Readonly<Record<string, string>>;
  readonly githubToken: string | undefined;
}

const sourceNames = [
  "osv",
  "depsdev",
  "ecosystems",
  "github",
  "gitlab",
  "forgejo",
  "endoflife",
] as const;

/**
 * The registries and sources of the file. When it names any of them, sources
 * that it does not name are off, so that what a test configures never leaves
 * the machine; unless it says `others: public`.
 */
export function parseDepshealthSourcesConfiguration({
  registries,
  sources,
}: ConfigurationFile): PackageDataSourceSettings {
  const named = sourceNames.filter((name) => sources[name] !== undefined);
  const namesAny = named.length > 0 || Object.keys(registries).length > 0;
  const unnamed = sources.others ?? (namesAny ? "off" : "public");
  const entries = sourceNames.map((name) => [name, sources[name] ?? unnamed] as const);
  return {
    registries: withAddresses(Object.entries(registries)),
    sources: withAddresses(entries),
    githubToken: sources.github_token,
  };
}

/** The addresses that the operator has set: they count as allowed. */
export function listPackageSourceAddresses({
  registries,
  sources,
}: PackageDataSourceSettings): readonly string[] {
  return [...Object.values(registries), ...Object.values(sources)].filter(
    (address) => address !== "off",
  );
}

/** Without those that are asked as if nothing had been said of them. */
function withAddresses(
  entries: readonly (readonly [string, string | undefined])[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.filter(
      (entry): entry is readonly [string, string] =>
        entry[1] !== undefined && entry[1] !== "public",
    ),
  );
}
