import type { Evidence, PackageMark, VersionFacts } from "../facts.ts";
import type { Derived } from "../fetch/derived.ts";
import { documentOf, type FetchOutcome } from "../fetch/outcome.ts";
import type { SourceClient } from "../fetch/source-client.ts";
import {
  proxyVersions,
  readMod,
  readProxy,
  withRetractions,
  type ProxyAnswer,
} from "./go-proxy.ts";
import type { GoMod } from "./go-mod.ts";
import {
  readImporters,
  readModule,
  readVersionPages,
  type GoDeprecation,
  type GoModule,
  type GoVersionPage,
} from "./go-site.ts";
import { emptyReading, type ReadOptions, type Registry, type RegistryReading } from "./registry.ts";
import { sortedVersions } from "./sorted-versions.ts";
import { versionOrders } from "./version-order.ts";

export interface GoDependencies {
  /** The site of Go packages. */
  readonly site: SourceClient;
  readonly proxy: SourceClient;
  readonly derived: Derived;
}

/** All that was heard of a module. */
interface Heard {
  readonly module: FetchOutcome<GoModule>;
  readonly pages: readonly FetchOutcome<GoVersionPage>[];
  readonly proxy: ProxyAnswer | undefined;
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

  async read(name: string, { detail }: ReadOptions): Promise<RegistryReading> {
    const heard = await this.#hear(name, detail);
    const { module, pages, proxy, mod, importers } = heard;
    const ofProxy = [proxy?.list, proxy?.latest, proxy?.info, proxy?.mod];
    const outcomes = [module, ...pages, ...ofProxy, mod, importers];
    return this.#dependencies.derived.get(
      `go ${detail}`,
      outcomes.filter((it) => it !== undefined),
      () => this.#combine(name, heard),
    );
  }

  async #hear(name: string, detail: ReadOptions["detail"]): Promise<Heard> {
    const { site } = this.#dependencies;
    const [module, pages, importers] = await Promise.all([
      readModule(site, name),
      readVersionPages(site, name),
      detail === "all" ? readImporters(site, name) : undefined,
    ]);
    const isTold = siteVersions(pages).length > 0;
    const proxy = isTold ? undefined : await readProxy(this.#dependencies.proxy, name);
    return { module, pages, proxy, mod: await this.#mod(name, module, pages), importers };
  }

  /** Where the site has no word for deprecation, the go.mod of the newest version has. */
  #mod(
    name: string,
    module: FetchOutcome<GoModule>,
    pages: readonly FetchOutcome<GoVersionPage>[],
  ): Promise<FetchOutcome<GoMod>> | undefined {
    const versions = siteVersions(pages);
    const newest = versions.find(({ stable }) => stable) ?? versions[0];
    const isSaid = siteDeprecation(module, pages).kind !== "unsaid";
    if (isSaid || newest === undefined) return undefined;
    return readMod(this.#dependencies.proxy, name, newest.version);
  }

  #combine(name: string, heard: Heard): RegistryReading {
    const { module, proxy, importers } = heard;
    const versions = versionsOf(heard);
    const evidence = this.#evidence(heard);
    if (versions.length === 0 && module.state !== "found") {
      const isMissing = [module, proxy?.list, proxy?.latest].some((it) => it?.state === "missing");
      const isFailed = proxy?.list.state === "failed" && proxy.latest.state === "failed";
      return emptyReading(name, isMissing && !isFailed ? "not_found" : "undetermined", evidence);
    }
    const mark = markOf(heard);
    return {
      existence: "found",
      name,
      versions,
      tags: new Map(),
      ...(mark !== undefined && { mark }),
      links: linksOf(name, documentOf(module)),
      maintainersCount: null,
      dependentsCount: documentOf(importers) ?? null,
      replacements: [],
      evidence,
    };
  }

  /**
   * The site's word if it spoke. The proxy knows the versions and their marks as
   * well: where it answered, the site's failure costs the repository alone.
   */
  #evidence({ module, pages, proxy, mod, importers }: Heard): readonly Evidence[] {
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
  const versions = pages.flatMap((page) => documentOf(page)?.versions ?? []);
  return sortedVersions(versionOrders.go, versions);
}

function versionsOf({ module, pages, proxy, mod }: Heard): readonly VersionFacts[] {
  const known = siteVersions(pages);
  const retractions = documentOf(mod)?.retractions ?? [];
  if (known.length > 0) return withRetractions(known, retractions);
  const listed = proxy === undefined ? [] : proxyVersions(proxy);
  const page = documentOf(module);
  if (page === undefined || page.version === null) return listed;
  const { version, releasedAt } = page;
  const own = { version, stable: versionOrders.go.isStable(version), releasedAt };
  return sortedVersions(versionOrders.go, [
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
  const said = [documentOf(module)?.deprecation, documentOf(pages[0])?.deprecation];
  const deprecated = said.find((it) => it?.kind === "deprecated");
  return deprecated ?? said.find((it) => it?.kind === "none") ?? { kind: "unsaid" };
}

function markOf({ module, pages, proxy, mod }: Heard): PackageMark | undefined {
  const said = siteDeprecation(module, pages);
  if (said.kind === "deprecated") return { kind: "deprecated", message: said.message };
  const message = (documentOf(mod) ?? documentOf(proxy?.mod))?.deprecation;
  return message === undefined ? undefined : { kind: "deprecated", message };
}

/** Module paths of the large hosts are addresses themselves. */
function linksOf(name: string, module: GoModule | undefined) {
  const urls = [module?.repositoryUrl ?? null, `https://${name}`];
  return urls.flatMap((url) => (url === null ? [] : [{ url, directory: null }]));
}
