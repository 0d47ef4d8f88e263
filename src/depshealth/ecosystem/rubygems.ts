import { asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import type { PackageVersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  isoDateToEpochMilliseconds,
} from "../../platform/json-value.ts";
import { wholeMembersProjection } from "../../platform/json-stream/json-shape.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { getFetchedDocument, type DataSourceResult } from "../fetch/outcome.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import {
  createEmptyPackageRegistryResult,
  type PackageRegistryReadOptions,
  type PackageRegistry,
  type PackageRegistryResult,
  type PackageRepositoryLink,
} from "./registry.ts";
import { assertVersionCountWithinLimit, sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

/** RubyGems. A yanked version is gone from its list; the registry knows no deprecation. */
export class RubygemsRegistry implements PackageRegistry {
  readonly ecosystem = "rubygems";
  readonly order = versionOrderByEcosystem.rubygems;
  readonly #client: DataSourceClient;
  readonly #derived: WeakMemo;

  constructor(client: DataSourceClient, derived: WeakMemo) {
    this.#client = client;
    this.#derived = derived;
  }

  /** Upper and lower case are different gems. */
  canonicalName(name: string): string | undefined {
    return /^[a-z0-9_-][a-z0-9._-]*$/i.test(name) ? name : undefined;
  }

  async read(name: string, { detail }: PackageRegistryReadOptions): Promise<PackageRegistryResult> {
    const client = this.#client;
    const file = `${joinUrlPathSegments(name)}.json`;
    const [gem, versions, ...counts] = await Promise.all([
      client.get({ path: `/api/v1/gems${file}`, result: "rubygems.gem.2", read: readGem }),
      client.get({
        path: `/api/v1/versions${file}`,
        result: "rubygems.versions.3",
        read: readVersions,
      }),
      ...(detail === "all" ? this.#counts(joinUrlPathSegments("api", "v1", "gems", name)) : []),
    ]);
    return this.#derived.get(`rubygems ${name} ${detail}`, [gem, versions, ...counts], () =>
      this.#combine(name, gem, versions, counts),
    );
  }

  #counts(gem: string): Promise<DataSourceResult<number>>[] {
    return [
      this.#client.get({
        path: `${gem}/owners.json`,
        result: "rubygems.owners.1",
        read: readLength,
      }),
      this.#client.get({
        path: `${gem}/reverse_dependencies.json`,
        result: "rubygems.dependents.1",
        read: readLength,
      }),
    ];
  }

  #combine(
    name: string,
    gem: DataSourceResult<Gem>,
    versions: DataSourceResult<readonly PackageVersionFacts[]>,
    [owners, dependents]: readonly DataSourceResult<number>[],
  ): PackageRegistryResult {
    const client = this.#client;
    const second = gem.state === "found" && versions.state === "found" ? [] : [versions];
    const evidence = [
      ...client.evidence("metadata", gem),
      ...second.flatMap((it) => (it.state === gem.state ? [] : client.evidence("metadata", it))),
      ...(owners === undefined ? [] : client.evidence("maintainers", owners)),
      ...(dependents === undefined ? [] : client.evidence("dependents", dependents)),
    ];
    const [known, listed] = [getFetchedDocument(gem), getFetchedDocument(versions)];
    if (known === undefined && listed === undefined) {
      const isMissing = gem.state === "missing" || versions.state === "missing";
      return createEmptyPackageRegistryResult(
        name,
        isMissing ? "not_found" : "undetermined",
        evidence,
      );
    }
    return {
      existence: "found",
      name,
      versions: listed ?? known?.versions ?? [],
      tags: new Map(),
      links: known?.links ?? [],
      maintainersCount: getFetchedDocument(owners) ?? null,
      dependentsCount: getFetchedDocument(dependents) ?? null,
      replacements: [],
      evidence,
    };
  }
}

/** What is kept of a gem's page. */
interface Gem {
  /** Its newest version only. */
  readonly versions: readonly PackageVersionFacts[];
  readonly links: readonly PackageRepositoryLink[];
}

const linkNames = ["source_code_uri", "homepage_uri", "bug_tracker_uri"];

const readGem = createJsonDocumentParser(
  wholeMembersProjection("name", "version", "version_created_at", "metadata", ...linkNames),
  (picked): Gem => {
    const gem = asJsonObjectOrEmpty(picked);
    const version = asNonBlankString(gem["version"]);
    const metadata = asJsonObjectOrEmpty(gem["metadata"]);
    return {
      versions: version === undefined ? [] : [versionFacts(version, gem["version_created_at"])],
      links: linkNames
        .flatMap((name) => [
          asUrlWithinLengthLimit(gem[name]),
          asUrlWithinLengthLimit(metadata[name]),
        ])
        .filter((url) => url !== undefined)
        .map((url) => ({ url, directory: null })),
    };
  },
);

/** One entry for each platform of a version. */
const readVersions = createJsonDocumentParser(
  { each: wholeMembersProjection("number", "created_at", "prerelease", "yanked", "licenses") },
  (picked): readonly PackageVersionFacts[] => {
    if (!Array.isArray(picked)) throw new DataSourceDocumentError("unreadable");
    const versions = picked.map(asJsonObjectOrEmpty).map((entry) => {
      const version = asNonBlankString(entry["number"]);
      // A list that is cut is not a shorter one.
      if (version === undefined) throw new DataSourceDocumentError("unreadable");
      const license = readLicenseName(entry["licenses"]);
      const facts = {
        ...versionFacts(version, entry["created_at"]),
        ...(license !== undefined && { license }),
      };
      const withdrawal = { kind: "yanked" as const, reason: null };
      return entry["yanked"] === true ? { ...facts, withdrawal } : facts;
    });
    return sortUniqueVersions(
      versionOrderByEcosystem.rubygems,
      assertVersionCountWithinLimit(versions),
    );
  },
);

const readLength = createJsonDocumentParser(
  { each: wholeMembersProjection("id") },
  (picked): number => {
    if (!Array.isArray(picked)) throw new DataSourceDocumentError("unreadable");
    return picked.length;
  },
);

function versionFacts(version: string, createdAt: unknown): PackageVersionFacts {
  const stable = versionOrderByEcosystem.rubygems.isStable(version);
  return { version, stable, releasedAt: isoDateToEpochMilliseconds(createdAt) ?? null };
}
