import type { PackageVersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import {
  getFetchedDocument,
  type DocumentCacheLifetimes,
  type DataSourceResult,
} from "../fetch/outcome.ts";
import type { DataSourceClient } from "../fetch/source-client.ts";
import { encodeUrlComponent } from "../fetch/url-component.ts";
import { findRepositoryAddress } from "../source/repository-address.ts";
import {
  nuspecRepositoryParser,
  createNugetOwnerCountParser,
  nugetRegistrationParser,
  nugetRegistrationPageParser,
  nugetServiceIndexParser,
  type NugetServiceIndex,
  type NugetVersions,
} from "./nuget-documents.ts";
import {
  createEmptyPackageRegistryResult,
  type PackageRegistryReadOptions,
  type PackageRegistry,
  type PackageRegistryResult,
} from "./registry.ts";
import { choosePackageNameSpelling } from "./choose-spelling.ts";
import { sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

const order = versionOrderByEcosystem.nuget;
/** More than 64 versions come in pages; no package has more of them. */
const maxPages = 40;

const day = 24 * 60 * 60_000;
const serviceLifetimes: DocumentCacheLifetimes = {
  freshMs: day,
  staleMs: 6 * day,
  missingMs: 60_000,
};

/** All that was heard of a package. */
interface NugetResponses {
  readonly service: DataSourceResult<NugetServiceIndex>;
  readonly index: DataSourceResult<NugetVersions> | undefined;
  readonly pages: readonly DataSourceResult<NugetVersions>[];
  readonly manifest: DataSourceResult<string | null> | undefined;
  readonly owners: DataSourceResult<number> | undefined;
}

/** NuGet: an index of services leads to the versions of a package, in pages where there are many. */
export class NugetRegistry implements PackageRegistry {
  readonly ecosystem = "nuget";
  readonly order = order;
  readonly #client: DataSourceClient;
  readonly #derived: WeakMemo;

  constructor(client: DataSourceClient, derived: WeakMemo) {
    this.#client = client;
    this.#derived = derived;
  }

  /** Ids are the same in any case; the registry files them in lower case. */
  canonicalName(name: string): string | undefined {
    return /^\w+(?:[.-]\w+)*$/.test(name) && name.length <= 100 ? name.toLowerCase() : undefined;
  }

  async read(name: string, { detail }: PackageRegistryReadOptions): Promise<PackageRegistryResult> {
    const heard = await this.#fetchAll(name, detail);
    const { service, index, pages, manifest, owners } = heard;
    // All packages share the index of services, so it is not the first of them.
    const outcomes = [index, ...pages, manifest, owners, service];
    return this.#derived.get(
      `nuget ${name} ${detail}`,
      outcomes.filter((it) => it !== undefined),
      () => this.#combine(name, heard),
    );
  }

  async #fetchAll(
    name: string,
    detail: PackageRegistryReadOptions["detail"],
  ): Promise<NugetResponses> {
    const service = await this.#client.get({
      path: "/v3/index.json",
      result: "nuget.service.1",
      lifetimes: serviceLifetimes,
      read: nugetServiceIndexParser,
    });
    const known = getFetchedDocument(service);
    if (known === undefined) {
      return { service, index: undefined, pages: [], manifest: undefined, owners: undefined };
    }
    const [index, owners] = await Promise.all([
      this.#client.get({
        path: `${known.registrations}${encodeUrlComponent(name)}/index.json`,
        result: "nuget.registration.5",
        read: nugetRegistrationParser,
      }),
      detail === "all" ? this.#owners(name, known) : undefined,
    ]);
    const folder = `${known.registrations}${encodeUrlComponent(name)}/`;
    const pages = await this.#pages(index, `${folder}index.json`);
    const manifest = await this.#manifest(name, known, [index, ...pages]);
    return { service, index, pages, manifest, owners };
  }

  /** Pages of an index, whose addresses may be relative to its own. */
  #pages(
    index: DataSourceResult<NugetVersions>,
    indexAddress: string,
  ): Promise<readonly DataSourceResult<NugetVersions>[]> {
    if (index.state !== "found") return Promise.resolve([]);
    return Promise.all(
      index.document.pages
        .slice(-maxPages)
        .map((page): Promise<DataSourceResult<NugetVersions>> => {
          const path = resolveAddress(page, indexAddress);
          if (isAddress(path)) {
            const read = nugetRegistrationPageParser;
            return this.#client.get({ path, result: "nuget.page.5", read });
          }
          const message = "names a page of versions by an address that is not of HTTP";
          const failure = { message, at: index.observedAt };
          return Promise.resolve({ state: "failed", failure });
        }),
    );
  }

  #owners(
    name: string,
    { search }: NugetServiceIndex,
  ): Promise<DataSourceResult<number>> | undefined {
    if (search === null || !isAddress(search)) return undefined;
    return this.#client.get({
      path: `${search}?q=packageid:${encodeUrlComponent(name)}&prerelease=true&semVerLevel=2.0.0`,
      result: "nuget.owners.1",
      read: createNugetOwnerCountParser(name),
    });
  }

  /** The manifest names the repository; asked for where the project's page is none. */
  #manifest(
    name: string,
    { contents }: NugetServiceIndex,
    heard: readonly DataSourceResult<NugetVersions>[],
  ): Promise<DataSourceResult<string | null>> | undefined {
    const versions = versionsIn(heard);
    const latest = versions.find((it) => it.stable && it.withdrawal === undefined) ?? versions[0];
    if (latest === undefined || contents === null || !isAddress(contents)) return undefined;
    if (findRepositoryAddress(linksOf(heard, undefined)) !== null) return undefined;
    const id = encodeUrlComponent(name);
    const version = encodeUrlComponent(latest.version.toLowerCase().split("+", 1).join());
    return this.#client.get({
      path: `${contents}${id}/${version}/${id}.nuspec`,
      result: "nuget.manifest.2",
      read: nuspecRepositoryParser,
    });
  }

  #combine(name: string, heard: NugetResponses): PackageRegistryResult {
    const { service, index, pages, manifest, owners } = heard;
    const client = this.#client;
    const metadata = index ?? asFailureIfMissing(service);
    const failed = pages.filter(({ failure }) => failure !== undefined).slice(0, 1);
    const evidence = [
      ...[metadata, ...failed].flatMap((outcome) => client.evidence("metadata", outcome)),
      ...(owners === undefined ? [] : client.evidence("maintainers", owners)),
    ];
    // Without one of the pages the newest version, or any, may be missing.
    if (index?.state !== "found" || pages.some(({ state }) => state !== "found")) {
      const existence = index?.state === "missing" ? "not_found" : "undetermined";
      return createEmptyPackageRegistryResult(name, existence, evidence);
    }
    const all = [index, ...pages];
    const written = all.flatMap((it) => getFetchedDocument(it)?.id ?? []).at(-1);
    const spelled = choosePackageNameSpelling("nuget", name, written);
    return {
      existence: "found",
      name: spelled,
      versions: addPublishedNames(versionsIn(all), all, spelled),
      tags: new Map(),
      links: linksOf(all, manifest),
      maintainersCount: getFetchedDocument(owners) ?? null,
      dependentsCount: null,
      replacements: [],
      evidence,
    };
  }
}

function versionsIn(heard: readonly DataSourceResult<NugetVersions>[]) {
  return sortUniqueVersions(
    order,
    heard.flatMap((it) => getFetchedDocument(it)?.versions ?? []),
  );
}

/** Adds the names of versions whose page spells the package in another way than the newest page. */
function addPublishedNames(
  versions: readonly PackageVersionFacts[],
  heard: readonly DataSourceResult<NugetVersions>[],
  newestName: string,
): readonly PackageVersionFacts[] {
  const others = heard
    .flatMap((it) => getFetchedDocument(it) ?? [])
    .filter(({ id }) => id !== newestName);
  if (others.length === 0) return versions;
  const names = new Map(
    others.flatMap(({ id, versions: listed }) =>
      listed.map(({ version }) => [version, id] as const),
    ),
  );
  return versions.map((facts) => {
    const name = facts.publishedAs ?? names.get(facts.version) ?? null;
    return name === null ? facts : { ...facts, publishedAs: name };
  });
}

/** Without the index of services nothing is known, also not that a package is missing. */
function asFailureIfMissing(
  service: DataSourceResult<NugetServiceIndex>,
): DataSourceResult<NugetServiceIndex> {
  if (service.state !== "missing") return service;
  const message = "has no index of its services";
  return { state: "failed", failure: { message, at: service.observedAt } };
}

function linksOf(
  heard: readonly DataSourceResult<NugetVersions>[],
  manifest: DataSourceResult<string | null> | undefined,
) {
  const project = heard.flatMap((it) => getFetchedDocument(it)?.projectUrl ?? []).at(-1);
  return [getFetchedDocument(manifest), project].flatMap((url) =>
    url === null || url === undefined ? [] : [{ url, directory: null }],
  );
}

function resolveAddress(address: string, base: string): string {
  return URL.canParse(address, base) ? new URL(address, base).href : address;
}

/** An address that the registry gave is dialled only if it is one. */
function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}
