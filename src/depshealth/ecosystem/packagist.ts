import type { RegistryPackageMark, ReplacementCandidate, VersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { findFetchedDocument, type FetchOutcome } from "../fetch/outcome.ts";
import { joinUrlPathSegments, type SourceClient } from "../fetch/source-client.ts";
import {
  createPackagistVersionsReader,
  packagistPageReader,
  type PackagistAbandonment,
  type PackagistPackageMetadata,
  type PackagistPage,
} from "./packagist-documents.ts";
import {
  createEmptyRegistryResult,
  type RegistryDetailOptions,
  type PackageRegistry,
  type RegistryResult,
} from "./registry.ts";
import { versionOrders } from "./version-order.ts";

export interface PackagistRegistryDependencies {
  /** Static files of versions. */
  readonly files: SourceClient;
  /** The site, which knows maintainers and dependents. */
  readonly site: SourceClient;
  readonly derived: WeakMemo;
}

/** Packagist: versions from the files that installers read, the rest from the site's page. */
export class PackagistRegistry implements PackageRegistry {
  readonly ecosystem = "packagist";
  readonly order = versionOrders.packagist;
  readonly #dependencies: PackagistRegistryDependencies;

  constructor(dependencies: PackagistRegistryDependencies) {
    this.#dependencies = dependencies;
  }

  canonicalName(name: string): string | undefined {
    const lower = name.toLowerCase();
    return /^[a-z0-9][a-z0-9_.-]*\/[a-z0-9][a-z0-9_.-]*$/.test(lower) ? lower : undefined;
  }

  async read(name: string, _options: RegistryDetailOptions): Promise<RegistryResult> {
    const file = `${joinUrlPathSegments(...name.split("/"))}.json`;
    const [versions, page] = await Promise.all([
      this.#dependencies.files.get({
        path: `/p2${file}`,
        result: "packagist.files.3",
        read: createPackagistVersionsReader(name),
        maxBytes: 32 * 1024 * 1024,
      }),
      this.#dependencies.site.get({
        path: `/packages${file}`,
        result: "packagist.page.3",
        read: packagistPageReader,
        maxBytes: 32 * 1024 * 1024,
      }),
    ]);
    return this.#dependencies.derived.get(`packagist ${name}`, [versions, page], () =>
      this.#combine(name, versions, page),
    );
  }

  #combine(
    name: string,
    files: FetchOutcome<PackagistPackageMetadata>,
    page: FetchOutcome<PackagistPage>,
  ): RegistryResult {
    const { site } = this.#dependencies;
    const [listed, known] = [findFetchedDocument(files), findFetchedDocument(page)];
    const shown = listed === undefined && known !== undefined ? [page, files] : [files, page];
    const evidence = shown
      .filter((outcome, index) => index === 0 || outcome.failure !== undefined)
      .flatMap((outcome) => site.evidence("metadata", outcome));
    if (listed === undefined && known === undefined) {
      const isMissing = files.state === "missing" || page.state === "missing";
      return createEmptyRegistryResult(name, isMissing ? "not_found" : "undetermined", evidence);
    }
    const abandonment = known?.abandonment ?? listed?.abandonment;
    const mark = statusOf(abandonment);
    return {
      existence: "found",
      name,
      versions: versionsOf(listed, known),
      tags: new Map(),
      ...(mark !== undefined && { status: mark }),
      links: [...(listed?.links ?? []), ...(known?.links ?? [])],
      maintainersCount: known?.maintainersCount ?? null,
      dependentsCount: known?.dependentsCount ?? null,
      replacements: replacementsOf(abandonment),
      evidence,
    };
  }
}

function versionsOf(
  listed: PackagistPackageMetadata | undefined,
  page: PackagistPage | undefined,
): readonly VersionFacts[] {
  return listed?.versions ?? page?.versions ?? [];
}

function statusOf(abandonment: PackagistAbandonment | undefined): RegistryPackageMark | undefined {
  if (abandonment === undefined) return undefined;
  // The mark has no words but the successor's name.
  return { kind: "deprecated", message: abandonment.successor };
}

function replacementsOf(
  abandonment: PackagistAbandonment | undefined,
): readonly ReplacementCandidate[] {
  const successor = abandonment?.successor ?? null;
  return successor === null ? [] : [{ name: successor, source: "registry" }];
}
