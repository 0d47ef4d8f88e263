import type { PackageMark, ReplacementCandidate, VersionFacts } from "../facts.ts";
import type { Derived } from "../fetch/derived.ts";
import { documentOf, type FetchOutcome } from "../fetch/outcome.ts";
import { pathOf, type SourceClient } from "../fetch/source-client.ts";
import {
  readFiles,
  readSite,
  type Abandonment,
  type ComposerPackage,
  type ComposerPage,
} from "./packagist-documents.ts";
import { emptyReading, type ReadOptions, type Registry, type RegistryReading } from "./registry.ts";
import { versionOrders } from "./version-order.ts";

export interface PackagistDependencies {
  /** Static files of versions. */
  readonly files: SourceClient;
  /** The site, which knows maintainers and dependents. */
  readonly site: SourceClient;
  readonly derived: Derived;
}

/** Packagist: versions from the files that installers read, the rest from the site's page. */
export class PackagistRegistry implements Registry {
  readonly ecosystem = "packagist";
  readonly order = versionOrders.packagist;
  readonly #dependencies: PackagistDependencies;

  constructor(dependencies: PackagistDependencies) {
    this.#dependencies = dependencies;
  }

  canonicalName(name: string): string | undefined {
    const lower = name.toLowerCase();
    return /^[a-z0-9][a-z0-9_.-]*\/[a-z0-9][a-z0-9_.-]*$/.test(lower) ? lower : undefined;
  }

  async read(name: string, _options: ReadOptions): Promise<RegistryReading> {
    const file = `${pathOf(...name.split("/"))}.json`;
    const [versions, page] = await Promise.all([
      this.#dependencies.files.get({
        path: `/p2${file}`,
        reading: "packagist.files.2",
        read: readFiles(name),
        maxBytes: 32 * 1024 * 1024,
      }),
      this.#dependencies.site.get({
        path: `/packages${file}`,
        reading: "packagist.page.2",
        read: readSite,
        maxBytes: 32 * 1024 * 1024,
      }),
    ]);
    return this.#dependencies.derived.get("packagist", [versions, page], () =>
      this.#combine(name, versions, page),
    );
  }

  #combine(
    name: string,
    files: FetchOutcome<ComposerPackage>,
    page: FetchOutcome<ComposerPage>,
  ): RegistryReading {
    const { site } = this.#dependencies;
    const [listed, known] = [documentOf(files), documentOf(page)];
    const shown = listed === undefined && known !== undefined ? [page, files] : [files, page];
    const evidence = shown
      .filter((outcome, index) => index === 0 || outcome.failure !== undefined)
      .flatMap((outcome) => site.evidence("metadata", outcome));
    if (listed === undefined && known === undefined) {
      const isMissing = files.state === "missing" || page.state === "missing";
      return emptyReading(name, isMissing ? "not_found" : "undetermined", evidence);
    }
    const abandonment = known?.abandonment ?? listed?.abandonment;
    const mark = markOf(abandonment);
    return {
      existence: "found",
      name,
      versions: versionsOf(listed, known),
      tags: new Map(),
      ...(mark !== undefined && { mark }),
      links: [...(listed?.links ?? []), ...(known?.links ?? [])],
      maintainersCount: known?.maintainersCount ?? null,
      dependentsCount: known?.dependentsCount ?? null,
      replacements: replacementsOf(abandonment),
      evidence,
    };
  }
}

function versionsOf(
  listed: ComposerPackage | undefined,
  page: ComposerPage | undefined,
): readonly VersionFacts[] {
  return listed?.versions ?? page?.versions ?? [];
}

function markOf(abandonment: Abandonment | undefined): PackageMark | undefined {
  if (abandonment === undefined) return undefined;
  // The mark has no words but the successor's name.
  return { kind: "deprecated", message: abandonment.successor };
}

function replacementsOf(abandonment: Abandonment | undefined): readonly ReplacementCandidate[] {
  const successor = abandonment?.successor ?? null;
  return successor === null ? [] : [{ name: successor, source: "registry" }];
}
