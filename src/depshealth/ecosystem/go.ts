import type { Evidence, PackageStatus, VersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { getDocument, type FetchOutcome } from "../fetch/outcome.ts";
import type { SourceClient } from "../fetch/source-client.ts";
import {
  proxyVersions,
  readGoModFile,
  readProxy,
  withRetractions,
  type ProxyResponse,
} from "./go-proxy.ts";
import type { GoMod } from "./go-mod.ts";
import {
  readImporters,
  readGoModule,
  readVersionPages,
  type GoDeprecation,
  type GoModule,
  type GoVersionPage,
} from "./go-site.ts";
import {
  emptyRegistryResult,
  type ReadOptions,
  type Registry,
  type RegistryResult,
} from "./registry.ts";
import { sortVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

export interface GoDependencies {
  /** The site of Go packages. */
  readonly site: SourceClient;
  readonly proxy: SourceClient;
  readonly derived: WeakMemo;
}

/** All that was heard of a module. */
interface GoResponses {
  readonly module: FetchOutcome<GoModule>;
  readonly pages: readonly FetchOutcome<GoVersionPage>[];
  readonly proxy: ProxyResponse | undefined;
  /** Asked for where the site has no word for deprecation. */
  readonly mod: FetchOutcome<GoMod> | undefined;
  readonly importers: FetchOutcome<number> | undefined;
}

/**
 * Go. The site knows dates, retractions and where vanity paths lead; the module
 * proxy, which has less, is asked where the site says nothing.
 */
export class GoRegistry implements Registry {
  readonly ecosystem = "go";
  readonly order = versionOrders.go;
  readonly #dependencies: GoDependencies;

  constructor(dependencies: GoDependencies) {
    this.#dependencies = dependencies;
  }

  canonicalName(name: string): string | undefined {
    const [host = "", ...rest] = name.split("/");
    const isHost = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(host);
    const isPath = rest.every((part) => /^[\w~-](?:[\w.~-]*[\w~-])?$/.test(part));
    return isHost && isPath ? name : undefined;
  }

  async read(name: string, { detail }: ReadOptions): Promise<RegistryResult> {
    const heard = await this.#fetchAll(name, detail);
    const { module, pages, proxy, mod, importers } = heard;
    const ofProxy = [proxy?.list, proxy?.latest, proxy?.info, proxy?.mod];
    const outcomes = [module, ...pages, ...ofProxy, mod, importers];
    return this.#dependencies.derived.get(
      `go ${detail}`,
      outcomes.filter((it) => it !== undefined),
      () => this.#combine(name, heard),
    );
  }

  async #fetchAll(name: string, detail: ReadOptions["detail"]): Promise<GoResponses> {
    const { site } = this.#dependencies;
    const [module, pages, importers] = await Promise.all([
      readGoModule(site, name),
      readVersionPages(site, name),
      detail === "all" ? readImporters(site, name) : undefined,
    ]);
    const isTold = this.#siteVersions(pages).length > 0;
    const proxy = isTold ? undefined : await readProxy(this.#dependencies.proxy, name);
    return { module, pages, proxy, mod: await this.#mod(name, module, pages), importers };
  }

  /** Where the site has no word for deprecation, the go.mod of the newest version has. */
  #mod(
    name: string,
    module: FetchOutcome<GoModule>,
    pages: readonly FetchOutcome<GoVersionPage>[],
  ): Promise<FetchOutcome<GoMod>> | undefined {
    const versions = this.#siteVersions(pages);
    const newest = versions.find(({ stable }) => stable) ?? versions[0];
    const isSaid = siteDeprecation(module, pages).kind !== "unsaid";
    if (isSaid || newest === undefined) return undefined;
    return readGoModFile(this.#dependencies.proxy, name, newest.version);
  }

  /** Sorted once for all that ask for them. */
  #siteVersions(pages: readonly FetchOutcome<GoVersionPage>[]): readonly VersionFacts[] {
    return this.#dependencies.derived.get("go site", pages, () => siteVersions(pages));
  }

  #combine(name: string, heard: GoResponses): RegistryResult {
    const { module, proxy, importers } = heard;
    const versions = versionsOf(heard);
    const evidence = this.#evidence(heard);
    if (versions.length === 0 && module.state !== "found") {
      const isMissing = [module, proxy?.list, proxy?.latest].some((it) => it?.state === "missing");
      const isFailed = proxy?.list.state === "failed" && proxy.latest.state === "failed";
      return emptyRegistryResult(
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
      links: linksOf(name, getDocument(module)),
      maintainersCount: null,
      dependentsCount: getDocument(importers) ?? null,
      replacements: [],
      evidence,
    };
  }

  /**
   * The site's word if it spoke. The proxy knows the versions and their marks as
   * well: where it answered, the site's failure costs the repository alone.
   */
  #evidence({ module, pages, proxy, mod, importers }: GoResponses): readonly Evidence[] {
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
function siteVersions(pages: readonly FetchOutcome<GoVersionPage>[]): readonly VersionFacts[] {
  if (pages.some(({ state }) => state !== "found")) return [];
  const versions = pages.flatMap((page) => getDocument(page)?.versions ?? []);
  return sortVersions(versionOrders.go, versions);
}

function versionsOf({ module, pages, proxy, mod }: GoResponses): readonly VersionFacts[] {
  const known = siteVersions(pages);
  const retractions = getDocument(mod)?.retractions ?? [];
  if (known.length > 0) return withRetractions(known, retractions);
  const listed = proxy === undefined ? [] : proxyVersions(proxy);
  const page = getDocument(module);
  if (page === undefined || page.version === null) return listed;
  const { version, releasedAt } = page;
  const own = { version, stable: versionOrders.go.isStable(version), releasedAt };
  return sortVersions(versionOrders.go, [
    ...listed.map((facts) =>
      facts.version === version ? { ...facts, releasedAt: facts.releasedAt ?? releasedAt } : facts,
    ),
    own,
  ]);
}

function siteDeprecation(
  module: FetchOutcome<GoModule>,
  pages: readonly FetchOutcome<GoVersionPage>[],
): GoDeprecation {
  const said = [getDocument(module)?.deprecation, getDocument(pages[0])?.deprecation];
  const deprecated = said.find((it) => it?.kind === "deprecated");
  return deprecated ?? said.find((it) => it?.kind === "none") ?? { kind: "unsaid" };
}

function statusOf({ module, pages, proxy, mod }: GoResponses): PackageStatus | undefined {
  const said = siteDeprecation(module, pages);
  if (said.kind === "deprecated") return { kind: "deprecated", message: said.message };
  const message = (getDocument(mod) ?? getDocument(proxy?.mod))?.deprecation;
  return message === undefined ? undefined : { kind: "deprecated", message };
}

/** Module paths of the large hosts are addresses themselves. */
function linksOf(name: string, module: GoModule | undefined) {
  const urls = [module?.repositoryUrl ?? null, `https://${name}`];
  return urls.flatMap((url) => (url === null ? [] : [{ url, directory: null }]));
}
