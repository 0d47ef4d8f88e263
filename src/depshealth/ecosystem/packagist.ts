import type {
  RegistryPackageStatus,
  PackageReplacementCandidate,
  PackageVersionFacts,
} from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { getFetchedDocument, type DataSourceResult } from "../fetch/outcome.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import {
  createPackagistVersionsParser,
  packagistPageParser,
  type PackagistAbandonment,
  type PackagistPackageMetadata,
  type PackagistPage,
} from "./packagist-documents.ts";
import {
  createEmptyPackageRegistryResult,
  type PackageRegistryReadOptions,
  type PackageRegistry,
  type PackageRegistryResult,
} from "./registry.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

export interface PackagistRegistryDependencies {
  /** Static files of versions. */
  readonly files: DataSourceClient;
  /** The site, which knows maintainers and dependents. */
  readonly site: DataSourceClient;
  readonly derived: WeakMemo;
}

/** Packagist: versions from the files that installers read, the rest from the site's page. */
export class PackagistRegistry implements PackageRegistry {
  readonly ecosystem = "packagist";
  readonly order = versionOrderByEcosystem.packagist;
  readonly #dependencies: PackagistRegistryDependencies;

  constructor(dependencies: PackagistRegistryDependencies) {
    this.#dependencies = dependencies;
  }

  canonicalName(name: string): string | undefined {
    const lower = name.toLowerCase();
    return /^[a-z0-9][a-z0-9_.-]*\/[a-z0-9][a-z0-9_.-]*$/.test(lower) ? lower : undefined;
  }

  async read(name: string, _options: PackageRegistryReadOptions): Promise<PackageRegistryResult> {
    const file = `${joinUrlPathSegments(...name.split("/"))}.json`;
    const [versions, page] = await Promise.all([
      this.#dependencies.files.get({
        path: `/p2${file}`,
        result: "packagist.files.3",
        read: createPackagistVersionsParser(name),
        maxBytes: 32 * 1024 * 1024,
      }),
      this.#dependencies.site.get({
        path: `/packages${file}`,
        result: "packagist.page.3",
        read: packagistPageParser,
        maxBytes: 32 * 1024 * 1024,
      }),
    ]);
    return this.#dependencies.derived.get(`packagist ${name}`, [versions, page], () =>
      this.#combine(name, versions, page),
    );
  }

  #combine(
    name: string,
    files: DataSourceResult<PackagistPackageMetadata>,
    page: DataSourceResult<PackagistPage>,
  ): PackageRegistryResult {
    const { site } = this.#dependencies;
    const [listed, known] = [getFetchedDocument(files), getFetchedDocument(page)];
    const shown = listed === undefined && known !== undefined ? [page, files] : [files, page];
    const evidence = shown
      .filter((outcome, index) => index === 0 || outcome.failure !== undefined)
      .flatMap((outcome) => site.evidence("metadata", outcome));
    if (listed === undefined && known === undefined) {
      const isMissing = files.state === "missing" || page.state === "missing";
      return createEmptyPackageRegistryResult(
        name,
        isMissing ? "not_found" : "undetermined",
        evidence,
      );
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
): readonly PackageVersionFacts[] {
  return listed?.versions ?? page?.versions ?? [];
}

function statusOf(
  abandonment: PackagistAbandonment | undefined,
): RegistryPackageStatus | undefined {
  if (abandonment === undefined) return undefined;
  // The mark has no words but the successor's name.
  return { kind: "deprecated", message: abandonment.successor };
}

function replacementsOf(
  abandonment: PackagistAbandonment | undefined,
): readonly PackageReplacementCandidate[] {
  const successor = abandonment?.successor ?? null;
  return successor === null ? [] : [{ name: successor, source: "registry" }];
}
