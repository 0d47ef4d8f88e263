import type { SourceEvidence, RegistryPackageMark, VersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { findFetchedDocument, type FetchOutcome } from "../fetch/outcome.ts";
import type { SourceClient } from "../fetch/source-client.ts";
import {
  listGoProxyVersions,
  fetchGoModDirectives,
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
  type GoVersionListPage,
} from "./go-site.ts";
import {
  createEmptyRegistryResult,
  type RegistryDetailOptions,
  type PackageRegistry,
  type RegistryResult,
} from "./registry.ts";
import { sortUniqueVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

export interface GoRegistryDependencies {
  /** The site of Go packages. */
  readonly site: SourceClient;
  readonly proxy: SourceClient;
  readonly derived: WeakMemo;
}

/** All that was heard of a module. */
interface GoResponses {
  readonly module: FetchOutcome<GoModulePage>;
  readonly pages: readonly FetchOutcome<GoVersionListPage>[];
  readonly proxy: GoProxyResult | undefined;
  /** Asked for where the site has no word for deprecation. */
  readonly mod: FetchOutcome<GoModWithdrawals> | undefined;
  readonly importers: FetchOutcome<number> | undefined;
}

/**
 * Go. The site knows dates, retractions and where vanity paths lead; the module
 * proxy, which has less, is asked where the site says nothing.
 */
export class GoRegistry implements PackageRegistry {
  readonly ecosystem = "go";
  readonly order = versionOrders.go;
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

  async read(name: string, { detail }: RegistryDetailOptions): Promise<RegistryResult> {
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

  async #fetchAll(name: string, detail: RegistryDetailOptions["detail"]): Promise<GoResponses> {
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
    module: FetchOutcome<GoModulePage>,
    pages: readonly FetchOutcome<GoVersionListPage>[],
  ): Promise<FetchOutcome<GoModWithdrawals>> | undefined {
    const versions = this.#siteVersions(name, pages);
    const newest = versions.find(({ stable }) => stable) ?? versions[0];
    const isSaid = siteDeprecation(module, pages).kind !== "unsaid";
    if (isSaid || newest === undefined) return undefined;
    return fetchGoModDirectives(this.#dependencies.proxy, name, newest.version);
  }

  /** Sorted once for all that ask for them. */
  #siteVersions(
    name: string,
    pages: readonly FetchOutcome<GoVersionListPage>[],
  ): readonly VersionFacts[] {
    return this.#dependencies.derived.get(`go site ${name}`, pages, () => siteVersions(pages));
  }

  #combine(name: string, heard: GoResponses): RegistryResult {
    const { module, proxy, importers } = heard;
    const versions = versionsOf(heard);
    const evidence = this.#evidence(heard);
    if (versions.length === 0 && module.state !== "found") {
      const isMissing = [module, proxy?.list, proxy?.latest].some((it) => it?.state === "missing");
      const isFailed = proxy?.list.state === "failed" && proxy.latest.state === "failed";
      return createEmptyRegistryResult(
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
      links: linksOf(name, findFetchedDocument(module)),
      maintainersCount: null,
      dependentsCount: findFetchedDocument(importers) ?? null,
      replacements: [],
      evidence,
    };
  }

  /**
   * The site's word if it spoke. The proxy knows the versions and their marks as
   * well: where it answered, the site's failure costs the repository alone.
   */
  #evidence({ module, pages, proxy, mod, importers }: GoResponses): readonly SourceEvidence[] {
    const { site } = this.#dependencies;
    const ofSite = [module, ...pages];
    const ofProxy = [proxy?.list, proxy?.mod, mod].filter((it) => it !== undefined);
    const isProxyWhole = ofProxy.length > 1 && ofProxy.every(({ state }) => state === "found");
    const heard =
      [...ofSite, ...ofProxy].find(({ state }) => state === "found") ?? proxy?.list ?? module;
    const failed = (outcomes: readonly FetchOutcome<unknown>[]) =>
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
function siteVersions(pages: readonly FetchOutcome<GoVersionListPage>[]): readonly VersionFacts[] {
  if (pages.some(({ state }) => state !== "found")) return [];
  const versions = pages.flatMap((page) => findFetchedDocument(page)?.versions ?? []);
  return sortUniqueVersions(versionOrders.go, versions);
}

function versionsOf({ module, pages, proxy, mod }: GoResponses): readonly VersionFacts[] {
  const known = siteVersions(pages);
  const retractions = findFetchedDocument(mod)?.retractions ?? [];
  if (known.length > 0) return markRetractedVersions(known, retractions);
  const listed = proxy === undefined ? [] : listGoProxyVersions(proxy);
  const page = findFetchedDocument(module);
  if (page === undefined || page.version === null) return listed;
  const { version, releasedAt } = page;
  const own = { version, stable: versionOrders.go.isStable(version), releasedAt };
  return sortUniqueVersions(versionOrders.go, [
    ...listed.map((facts) =>
      facts.version === version ? { ...facts, releasedAt: facts.releasedAt ?? releasedAt } : facts,
    ),
    own,
  ]);
}

function siteDeprecation(
  module: FetchOutcome<GoModulePage>,
  pages: readonly FetchOutcome<GoVersionListPage>[],
): GoDeprecation {
  const said = [
    findFetchedDocument(module)?.deprecation,
    findFetchedDocument(pages[0])?.deprecation,
  ];
  const deprecated = said.find((it) => it?.kind === "deprecated");
  return deprecated ?? said.find((it) => it?.kind === "none") ?? { kind: "unsaid" };
}

function statusOf({ module, pages, proxy, mod }: GoResponses): RegistryPackageMark | undefined {
  const said = siteDeprecation(module, pages);
  if (said.kind === "deprecated") return { kind: "deprecated", message: said.message };
  const message = (findFetchedDocument(mod) ?? findFetchedDocument(proxy?.mod))?.deprecation;
  return message === undefined ? undefined : { kind: "deprecated", message };
}

/** Module paths of the large hosts are addresses themselves. */
function linksOf(name: string, module: GoModulePage | undefined) {
  const urls = [module?.repositoryUrl ?? null, `https://${name}`];
  return urls.flatMap((url) => (url === null ? [] : [{ url, directory: null }]));
}
