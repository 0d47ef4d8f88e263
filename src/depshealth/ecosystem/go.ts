import type { DataSourceEvidence, RegistryPackageStatus, PackageVersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { getFetchedDocument, type DataSourceResult } from "../fetch/outcome.ts";
import type { DataSourceClient } from "../fetch/source-client.ts";
import {
  listGoProxyVersions,
  fetchGoModWithdrawals,
  fetchGoProxyResult,
  markRetractedVersions,
  type GoProxyResult,
} from "./go-proxy.ts";
import type { GoModWithdrawals } from "./go-mod.ts";
import {
  fetchGoImporterCount,
  fetchGoModulePage,
  fetchGoVersionListPages,
  type GoDeprecation,
  type GoModulePage,
  type PkgGoDevVersionsPage,
} from "./go-site.ts";
import {
  createEmptyPackageRegistryResult,
  type PackageRegistryReadOptions,
  type PackageRegistry,
  type PackageRegistryResult,
} from "./registry.ts";
import { sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

export interface GoRegistryDependencies {
  /** The site of Go packages. */
  readonly site: DataSourceClient;
  readonly proxy: DataSourceClient;
  readonly derived: WeakMemo;
}

/** All that was heard of a module. */
interface GoResponses {
  readonly module: DataSourceResult<GoModulePage>;
  readonly pages: readonly DataSourceResult<PkgGoDevVersionsPage>[];
  readonly proxy: GoProxyResult | undefined;
  /** Asked for where the site has no word for deprecation. */
  readonly mod: DataSourceResult<GoModWithdrawals> | undefined;
  readonly importers: DataSourceResult<number> | undefined;
}

/**
 * Go. The site knows dates, retractions and where vanity paths lead; the module
 * proxy, which has less, is asked where the site says nothing.
 */
export class GoRegistry implements PackageRegistry {
  readonly ecosystem = "go";
  readonly order = versionOrderByEcosystem.go;
  readonly #dependencies: GoRegistryDependencies;

  constructor(dependencies: GoRegistryDependencies) {
    this.#dependencies = dependencies;
  }

  canonicalName(name: string): string | undefined {
    const [host = "", ...rest] = name.split("/");
    const isHost = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(host);
    const isPath = rest.every((part) => /^[\w~-](?:[\w.~-]*[\w~-])?$/.test(part));
    return isHost && isPath ? name : undefined;
  }

  async read(name: string, { detail }: PackageRegistryReadOptions): Promise<PackageRegistryResult> {
    const heard = await this.#fetchAll(name, detail);
    const { module, pages, proxy, mod, importers } = heard;
    const ofProxy = [proxy?.list, proxy?.latest, proxy?.info, proxy?.mod];
    const outcomes = [module, ...pages, ...ofProxy, mod, importers];
    return this.#dependencies.derived.get(
      `go ${name} ${detail}`,
      outcomes.filter((it) => it !== undefined),
      () => this.#combine(name, heard),
    );
  }

  async #fetchAll(
    name: string,
    detail: PackageRegistryReadOptions["detail"],
  ): Promise<GoResponses> {
    const { site } = this.#dependencies;
    const [module, pages, importers] = await Promise.all([
      fetchGoModulePage(site, name),
      fetchGoVersionListPages(site, name),
      detail === "all" ? fetchGoImporterCount(site, name) : undefined,
    ]);
    const isTold = this.#siteVersions(name, pages).length > 0;
    const proxy = isTold ? undefined : await fetchGoProxyResult(this.#dependencies.proxy, name);
    return { module, pages, proxy, mod: await this.#mod(name, module, pages), importers };
  }

  /** Where the site has no word for deprecation, the go.mod of the newest version has. */
  #mod(
    name: string,
    module: DataSourceResult<GoModulePage>,
    pages: readonly DataSourceResult<PkgGoDevVersionsPage>[],
  ): Promise<DataSourceResult<GoModWithdrawals>> | undefined {
    const versions = this.#siteVersions(name, pages);
    const newest = versions.find(({ stable }) => stable) ?? versions[0];
    const isSaid = siteDeprecation(module, pages).kind !== "unsaid";
    if (isSaid || newest === undefined) return undefined;
    return fetchGoModWithdrawals(this.#dependencies.proxy, name, newest.version);
  }

  /** Sorted once for all that ask for them. */
  #siteVersions(
    name: string,
    pages: readonly DataSourceResult<PkgGoDevVersionsPage>[],
  ): readonly PackageVersionFacts[] {
    return this.#dependencies.derived.get(`go site ${name}`, pages, () => siteVersions(pages));
  }

  #combine(name: string, heard: GoResponses): PackageRegistryResult {
    const { module, proxy, importers } = heard;
    const versions = versionsOf(heard);
    const evidence = this.#evidence(heard);
    if (versions.length === 0 && module.state !== "found") {
      const isMissing = [module, proxy?.list, proxy?.latest].some((it) => it?.state === "missing");
      const isFailed = proxy?.list.state === "failed" && proxy.latest.state === "failed";
      return createEmptyPackageRegistryResult(
        name,
        isMissing && !isFailed ? "not_found" : "undetermined",
        evidence,
      );
    }
    const mark = statusOf(heard);
    return {
      existence: "found",
      name,
      versions,
      tags: new Map(),
      ...(mark !== undefined && { status: mark }),
      links: linksOf(name, getFetchedDocument(module)),
      maintainersCount: null,
      dependentsCount: getFetchedDocument(importers) ?? null,
      replacements: [],
      evidence,
    };
  }

  /**
   * The site's word if it spoke. The proxy knows the versions and their marks as
   * well: where it answered, the site's failure costs the repository alone.
   */
  #evidence({ module, pages, proxy, mod, importers }: GoResponses): readonly DataSourceEvidence[] {
    const { site } = this.#dependencies;
    const ofSite = [module, ...pages];
    const ofProxy = [proxy?.list, proxy?.mod, mod].filter((it) => it !== undefined);
    const isProxyWhole = ofProxy.length > 1 && ofProxy.every(({ state }) => state === "found");
    const heard =
      [...ofSite, ...ofProxy].find(({ state }) => state === "found") ?? proxy?.list ?? module;
    const failed = (outcomes: readonly DataSourceResult<unknown>[]) =>
      outcomes.filter((it) => it !== heard && it.failure !== undefined).slice(0, 1);
    return [
      ...site.evidence("metadata", heard),
      ...failed(ofSite).flatMap((it) =>
        site.evidence(isProxyWhole ? "repository" : "metadata", it),
      ),
      ...failed(ofProxy).flatMap((it) => site.evidence("metadata", it)),
      ...(importers === undefined ? [] : site.evidence("dependents", importers)),
    ];
  }
}

/** None when a page is missing: the proxy has the whole list. */
function siteVersions(
  pages: readonly DataSourceResult<PkgGoDevVersionsPage>[],
): readonly PackageVersionFacts[] {
  if (pages.some(({ state }) => state !== "found")) return [];
  const versions = pages.flatMap((page) => getFetchedDocument(page)?.versions ?? []);
  return sortUniqueVersions(versionOrderByEcosystem.go, versions);
}

function versionsOf({ module, pages, proxy, mod }: GoResponses): readonly PackageVersionFacts[] {
  const known = siteVersions(pages);
  const retractions = getFetchedDocument(mod)?.retractions ?? [];
  if (known.length > 0) return markRetractedVersions(known, retractions);
  const listed = proxy === undefined ? [] : listGoProxyVersions(proxy);
  const page = getFetchedDocument(module);
  if (page === undefined || page.version === null) return listed;
  const { version, releasedAt } = page;
  const own = { version, stable: versionOrderByEcosystem.go.isStable(version), releasedAt };
  return sortUniqueVersions(versionOrderByEcosystem.go, [
    ...listed.map((facts) =>
      facts.version === version ? { ...facts, releasedAt: facts.releasedAt ?? releasedAt } : facts,
    ),
    own,
  ]);
}

function siteDeprecation(
  module: DataSourceResult<GoModulePage>,
  pages: readonly DataSourceResult<PkgGoDevVersionsPage>[],
): GoDeprecation {
  const said = [getFetchedDocument(module)?.deprecation, getFetchedDocument(pages[0])?.deprecation];
  const deprecated = said.find((it) => it?.kind === "deprecated");
  return deprecated ?? said.find((it) => it?.kind === "none") ?? { kind: "unsaid" };
}

function statusOf({ module, pages, proxy, mod }: GoResponses): RegistryPackageStatus | undefined {
  const said = siteDeprecation(module, pages);
  if (said.kind === "deprecated") return { kind: "deprecated", message: said.message };
  const message = (getFetchedDocument(mod) ?? getFetchedDocument(proxy?.mod))?.deprecation;
  return message === undefined ? undefined : { kind: "deprecated", message };
}

/** Module paths of the large hosts are addresses themselves. */
function linksOf(name: string, module: GoModulePage | undefined) {
  const urls = [module?.repositoryUrl ?? null, `https://${name}`];
  return urls.flatMap((url) => (url === null ? [] : [{ url, directory: null }]));
}
