import type { RegistryPackageStatus, PackageVersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import {
  getFetchedDocument,
  immutableDocumentCacheLifetimes,
  defaultDataSourceCacheLifetimes,
  type DataSourceResult,
} from "../fetch/outcome.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import { findRepositoryAddress } from "../source/repository-address.ts";
import {
  mavenMetadataParser,
  mavenPomParser,
  type MavenCoordinates,
  type MavenMetadata,
  type MavenPom,
} from "./maven-documents.ts";
import {
  createEmptyPackageRegistryResult,
  type PackageRegistryReadOptions,
  type PackageRegistry,
  type PackageRegistryResult,
} from "./registry.ts";
import { sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

const order = versionOrderByEcosystem.maven;
/** A project's parent, its parent and so on: the repository is often named there only. */
const maxParents = 3;

/** Maven repositories: a list of versions, and a description of each. Nothing in them ever changes. */
export class MavenRegistry implements PackageRegistry {
  readonly ecosystem = "maven";
  readonly order = order;
  readonly #client: DataSourceClient;
  readonly #derived: WeakMemo;

  constructor(client: DataSourceClient, derived: WeakMemo) {
    this.#client = client;
    this.#derived = derived;
  }

  canonicalName(name: string): string | undefined {
    return coordinatesOf(name) === undefined ? undefined : name;
  }

  async read(name: string, _options: PackageRegistryReadOptions): Promise<PackageRegistryResult> {
    const place = coordinatesOf(name) ?? { group: "", artifact: "" };
    const metadata = await this.#client.get({
      path: `${pathTo(place)}/maven-metadata.xml`,
      headers: { accept: "*/*" },
      result: "maven.metadata.2",
      read: mavenMetadataParser,
    });
    const versions = listedVersions(getFetchedDocument(metadata));
    const latest = versions.find(({ stable }) => stable) ?? versions[0];
    const pom = latest === undefined ? undefined : await this.#pom(place, latest.version, false);
    const parents = await this.#parents(getFetchedDocument(pom));
    const outcomes = [metadata, ...(pom === undefined ? [] : [pom]), ...parents];
    return this.#derived.get(`maven ${name}`, outcomes, () =>
      this.#combine(name, { metadata, pom, parents, versions }),
    );
  }

  /** A version's description is fixed; that of the latest is asked again, as the latest changes. */
  #pom(
    place: MavenCoordinates,
    version: string,
    isParent: boolean,
  ): Promise<DataSourceResult<MavenPom>> {
    const file = `${place.artifact}-${version}.pom`;
    return this.#client.get({
      path: `${pathTo(place)}${joinUrlPathSegments(version, file)}`,
      headers: { accept: "*/*" },
      result: "maven.pom.3",
      lifetimes: isParent ? immutableDocumentCacheLifetimes : defaultDataSourceCacheLifetimes,
      read: mavenPomParser,
    });
  }

  /** Up to where the repository is named. */
  async #parents(pom: MavenPom | undefined): Promise<readonly DataSourceResult<MavenPom>[]> {
    const parents: DataSourceResult<MavenPom>[] = [];
    let current = pom;
    while (current?.parent !== undefined && parents.length < maxParents) {
      if (findRepositoryAddress(current.links.map(asLink)) !== null) break;
      const { parent } = current;
      if (coordinatesOf(`${parent.group}:${parent.artifact}`) === undefined) break;
      if (!versionPattern.test(parent.version)) break;
      const outcome = await this.#pom(parent, parent.version, true);
      parents.push(outcome);
      current = getFetchedDocument(outcome);
    }
    return parents;
  }

  #combine(
    name: string,
    heard: {
      readonly metadata: DataSourceResult<MavenMetadata>;
      readonly pom: DataSourceResult<MavenPom> | undefined;
      readonly parents: readonly DataSourceResult<MavenPom>[];
      readonly versions: readonly PackageVersionFacts[];
    },
  ): PackageRegistryResult {
    const { metadata, pom, parents, versions } = heard;
    const known = getFetchedDocument(metadata);
    const failed = [pom, ...parents].filter((it) => it?.failure !== undefined).slice(0, 1);
    const evidence = [metadata, ...failed].flatMap((outcome) =>
      outcome === undefined ? [] : this.#client.evidence("metadata", outcome),
    );
    if (known === undefined) {
      const existence = metadata.state === "missing" ? "not_found" : "undetermined";
      return createEmptyPackageRegistryResult(name, existence, evidence);
    }
    const described = getFetchedDocument(pom);
    const successor = successorOf(name, described);
    const license = [pom, ...parents].flatMap((it) => getFetchedDocument(it)?.license ?? []).at(0);
    const mark: RegistryPackageStatus | undefined =
      successor === undefined
        ? undefined
        : { kind: "deprecated", message: described?.relocation?.message ?? null };
    return {
      existence: "found",
      name,
      versions: withDate(versions, described?.releasedAt ?? known.updatedAt),
      tags: new Map(),
      ...(mark !== undefined && { status: mark }),
      ...(license !== undefined && { license }),
      links: [pom, ...parents].flatMap((it) => getFetchedDocument(it)?.links.map(asLink) ?? []),
      maintainersCount: null,
      dependentsCount: null,
      replacements: successor === undefined ? [] : [{ name: successor, source: "registry" }],
      evidence,
    };
  }
}

/** What can be a version here: it becomes part of a path. */
const versionPattern = /^[\w.+-]{1,100}$/;

function listedVersions(metadata: MavenMetadata | undefined): readonly PackageVersionFacts[] {
  const listed = (metadata?.versions ?? []).filter(
    (version) => versionPattern.test(version) && !/^\.+$/.test(version),
  );
  const isMixed = listed.some((version) => !earlyDate.test(version));
  const isStable = (version: string): boolean =>
    order.isStable(version) && !(isMixed && earlyDate.test(version));
  return sortUniqueVersions(
    order,
    listed.map((version) => ({ version, stable: isStable(version), releasedAt: null })),
  );
}

/** Snapshots of the repository's first years, by their date: their numbers are above all releases. */
const earlyDate = /^(?:199\d|200[0-6])[01]\d[0-3]\d(?:\D|$)/;

/** Only of the newest is it known when it came out. */
function withDate(
  versions: readonly PackageVersionFacts[],
  releasedAt: number | null,
): readonly PackageVersionFacts[] {
  const latest = versions.find(({ stable }) => stable) ?? versions[0];
  return versions.map((facts) => (facts === latest ? { ...facts, releasedAt } : facts));
}

function coordinatesOf(name: string): MavenCoordinates | undefined {
  const [, group, artifact] = /^([\w-]+(?:\.[\w-]+)*):([\w.-]+)$/.exec(name) ?? [];
  if (group === undefined || artifact === undefined || /^\.+$/.test(artifact)) return undefined;
  return { group, artifact };
}

/** Dots of the group become folders, those of the artifact do not. */
function pathTo({ group, artifact }: MavenCoordinates): string {
  return joinUrlPathSegments(...group.split("."), artifact);
}

function successorOf(name: string, pom: MavenPom | undefined): string | undefined {
  const place = coordinatesOf(name);
  if (pom?.relocation === undefined || place === undefined) return undefined;
  const { group = place.group, artifact = place.artifact } = pom.relocation;
  const successor = `${group}:${artifact}`;
  return successor === name ? undefined : successor;
}

function asLink(url: string) {
  return { url, directory: null };
}
