import type { RegistryPackageMark, VersionFacts } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import {
  findFetchedDocument,
  immutableDocumentLifetimes,
  defaultDocumentLifetimes,
  type FetchOutcome,
} from "../fetch/outcome.ts";
import { joinUrlPathSegments, type SourceClient } from "../fetch/source-client.ts";
import { findRepositoryAddress } from "../source/repository-address.ts";
import {
  mavenMetadataReader,
  mavenPomMetadataReader,
  type MavenCoordinates,
  type MavenMetadata,
  type MavenPom,
} from "./maven-documents.ts";
import {
  createEmptyRegistryResult,
  type RegistryDetailOptions,
  type PackageRegistry,
  type RegistryResult,
} from "./registry.ts";
import { sortUniqueVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

const order = versionOrders.maven;
/** A project's parent, its parent and so on: the repository is often named there only. */
const maxParents = 3;

/** Maven repositories: a list of versions, and a description of each. Nothing in them ever changes. */
export class MavenRegistry implements PackageRegistry {
  readonly ecosystem = "maven";
  readonly order = order;
  readonly #client: SourceClient;
  readonly #derived: WeakMemo;

  constructor(client: SourceClient, derived: WeakMemo) {
    this.#client = client;
    this.#derived = derived;
  }

  canonicalName(name: string): string | undefined {
    return coordinatesOf(name) === undefined ? undefined : name;
  }

  async read(name: string, _options: RegistryDetailOptions): Promise<RegistryResult> {
    const place = coordinatesOf(name) ?? { group: "", artifact: "" };
    const metadata = await this.#client.get({
      path: `${pathTo(place)}/maven-metadata.xml`,
      headers: { accept: "*/*" },
      result: "maven.metadata.2",
      read: mavenMetadataReader,
    });
    const versions = listedVersions(findFetchedDocument(metadata));
    const latest = versions.find(({ stable }) => stable) ?? versions[0];
    const pom = latest === undefined ? undefined : await this.#pom(place, latest.version, false);
    const parents = await this.#parents(findFetchedDocument(pom));
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
  ): Promise<FetchOutcome<MavenPom>> {
    const file = `${place.artifact}-${version}.pom`;
    return this.#client.get({
      path: `${pathTo(place)}${joinUrlPathSegments(version, file)}`,
      headers: { accept: "*/*" },
      result: "maven.pom.3",
      lifetimes: isParent ? immutableDocumentLifetimes : defaultDocumentLifetimes,
      read: mavenPomMetadataReader,
    });
  }

  /** Up to where the repository is named. */
  async #parents(pom: MavenPom | undefined): Promise<readonly FetchOutcome<MavenPom>[]> {
    const parents: FetchOutcome<MavenPom>[] = [];
    let current = pom;
    while (current?.parent !== undefined && parents.length < maxParents) {
      if (findRepositoryAddress(current.links.map(asLink)) !== null) break;
      const { parent } = current;
      if (coordinatesOf(`${parent.group}:${parent.artifact}`) === undefined) break;
      if (!versionPattern.test(parent.version)) break;
      const outcome = await this.#pom(parent, parent.version, true);
      parents.push(outcome);
      current = findFetchedDocument(outcome);
    }
    return parents;
  }

  #combine(
    name: string,
    heard: {
      readonly metadata: FetchOutcome<MavenMetadata>;
      readonly pom: FetchOutcome<MavenPom> | undefined;
      readonly parents: readonly FetchOutcome<MavenPom>[];
      readonly versions: readonly VersionFacts[];
    },
  ): RegistryResult {
    const { metadata, pom, parents, versions } = heard;
    const known = findFetchedDocument(metadata);
    const failed = [pom, ...parents].filter((it) => it?.failure !== undefined).slice(0, 1);
    const evidence = [metadata, ...failed].flatMap((outcome) =>
      outcome === undefined ? [] : this.#client.evidence("metadata", outcome),
    );
    if (known === undefined) {
      const existence = metadata.state === "missing" ? "not_found" : "undetermined";
      return createEmptyRegistryResult(name, existence, evidence);
    }
    const described = findFetchedDocument(pom);
    const successor = successorOf(name, described);
    const license = [pom, ...parents].flatMap((it) => findFetchedDocument(it)?.license ?? []).at(0);
    const mark: RegistryPackageMark | undefined =
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
      links: [pom, ...parents].flatMap((it) => findFetchedDocument(it)?.links.map(asLink) ?? []),
      maintainersCount: null,
      dependentsCount: null,
      replacements: successor === undefined ? [] : [{ name: successor, source: "registry" }],
      evidence,
    };
  }
}

/** What can be a version here: it becomes part of a path. */
const versionPattern = /^[\w.+-]{1,100}$/;

function listedVersions(metadata: MavenMetadata | undefined): readonly VersionFacts[] {
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
  versions: readonly VersionFacts[],
  releasedAt: number | null,
): readonly VersionFacts[] {
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
