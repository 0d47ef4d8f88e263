import { asSourceUrl } from "../fetch/source-text.ts";
import type { VersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { SourceDocumentReadError } from "../fetch/document-error.ts";
import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  isoDateToEpochMilliseconds,
} from "../../platform/json-value.ts";
import { wholeMembersShape } from "../../platform/json-stream/json-shape.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { findFetchedDocument, type FetchOutcome } from "../fetch/outcome.ts";
import { createJsonSourceParser } from "../fetch/read-document.ts";
import { joinUrlPathSegments, type SourceClient } from "../fetch/source-client.ts";
import {
  createEmptyRegistryResult,
  type RegistryDetailOptions,
  type PackageRegistry,
  type RegistryResult,
  type RepositoryLink,
} from "./registry.ts";
import { assertVersionCount, sortUniqueVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

/** RubyGems. A yanked version is gone from its list; the registry knows no deprecation. */
export class RubygemsRegistry implements PackageRegistry {
  readonly ecosystem = "rubygems";
  readonly order = versionOrders.rubygems;
  readonly #client: SourceClient;
  readonly #derived: WeakMemo;

  constructor(client: SourceClient, derived: WeakMemo) {
    this.#client = client;
    this.#derived = derived;
  }

  /** Upper and lower case are different gems. */
  canonicalName(name: string): string | undefined {
    return /^[a-z0-9_-][a-z0-9._-]*$/i.test(name) ? name : undefined;
  }

  async read(name: string, { detail }: RegistryDetailOptions): Promise<RegistryResult> {
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

  #counts(gem: string): Promise<FetchOutcome<number>>[] {
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
    gem: FetchOutcome<Gem>,
    versions: FetchOutcome<readonly VersionFacts[]>,
    [owners, dependents]: readonly FetchOutcome<number>[],
  ): RegistryResult {
    const client = this.#client;
    const second = gem.state === "found" && versions.state === "found" ? [] : [versions];
    const evidence = [
      ...client.evidence("metadata", gem),
      ...second.flatMap((it) => (it.state === gem.state ? [] : client.evidence("metadata", it))),
      ...(owners === undefined ? [] : client.evidence("maintainers", owners)),
      ...(dependents === undefined ? [] : client.evidence("dependents", dependents)),
    ];
    const [known, listed] = [findFetchedDocument(gem), findFetchedDocument(versions)];
    if (known === undefined && listed === undefined) {
      const isMissing = gem.state === "missing" || versions.state === "missing";
      return createEmptyRegistryResult(name, isMissing ? "not_found" : "undetermined", evidence);
    }
    return {
      existence: "found",
      name,
      versions: listed ?? known?.versions ?? [],
      tags: new Map(),
      links: known?.links ?? [],
      maintainersCount: findFetchedDocument(owners) ?? null,
      dependentsCount: findFetchedDocument(dependents) ?? null,
      replacements: [],
      evidence,
    };
  }
}

/** What is kept of a gem's page. */
interface Gem {
  /** Its newest version only. */
  readonly versions: readonly VersionFacts[];
  readonly links: readonly RepositoryLink[];
}

const linkNames = ["source_code_uri", "homepage_uri", "bug_tracker_uri"];

const readGem = createJsonSourceParser(
  wholeMembersShape("name", "version", "version_created_at", "metadata", ...linkNames),
  (picked): Gem => {
    const gem = asJsonObjectOrEmpty(picked);
    const version = asNonBlankString(gem["version"]);
    const metadata = asJsonObjectOrEmpty(gem["metadata"]);
    return {
      versions: version === undefined ? [] : [versionFacts(version, gem["version_created_at"])],
      links: linkNames
        .flatMap((name) => [asSourceUrl(gem[name]), asSourceUrl(metadata[name])])
        .filter((url) => url !== undefined)
        .map((url) => ({ url, directory: null })),
    };
  },
);

/** One entry for each platform of a version. */
const readVersions = createJsonSourceParser(
  { each: wholeMembersShape("number", "created_at", "prerelease", "yanked", "licenses") },
  (picked): readonly VersionFacts[] => {
    if (!Array.isArray(picked)) throw new SourceDocumentReadError("unreadable");
    const versions = picked.map(asJsonObjectOrEmpty).map((entry) => {
      const version = asNonBlankString(entry["number"]);
      // A list that is cut is not a shorter one.
      if (version === undefined) throw new SourceDocumentReadError("unreadable");
      const license = readLicenseName(entry["licenses"]);
      const facts = {
        ...versionFacts(version, entry["created_at"]),
        ...(license !== undefined && { license }),
      };
      const withdrawal = { kind: "yanked" as const, reason: null };
      return entry["yanked"] === true ? { ...facts, withdrawal } : facts;
    });
    return sortUniqueVersions(versionOrders.rubygems, assertVersionCount(versions));
  },
);

const readLength = createJsonSourceParser({ each: wholeMembersShape("id") }, (picked): number => {
  if (!Array.isArray(picked)) throw new SourceDocumentReadError("unreadable");
  return picked.length;
});

function versionFacts(version: string, createdAt: unknown): VersionFacts {
  const stable = versionOrders.rubygems.isStable(version);
  return { version, stable, releasedAt: isoDateToEpochMilliseconds(createdAt) ?? null };
}
