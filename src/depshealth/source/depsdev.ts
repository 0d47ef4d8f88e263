import type { Ecosystem, VersionFacts } from "../facts.ts";
import { versionOrders } from "../ecosystem/version-order.ts";
import { sortedVersions } from "../ecosystem/sorted-versions.ts";
import { DocumentFault } from "../fetch/document-fault.ts";
import {
  asCount,
  asRecord,
  asRecords,
  asText,
  asTime,
  type JsonRecord,
} from "../fetch/json-value.ts";
import { wholeMembers } from "../fetch/json-shape.ts";
import type { Outcome } from "../fetch/outcome.ts";
import { jsonReader } from "../fetch/read-document.ts";
import { pathOf, type SourceClient } from "../fetch/source-client.ts";

/** What the aggregator knows of a package. */
export interface IndexedPackage {
  readonly versions: readonly VersionFacts[];
  /** By which it counts dependents. */
  readonly defaultVersion: string | null;
}

const systems: Readonly<Partial<Record<Ecosystem, string>>> = {
  npm: "NPM",
  pypi: "PYPI",
  cargo: "CARGO",
  rubygems: "RUBYGEMS",
  go: "GO",
  maven: "MAVEN",
  nuget: "NUGET",
};

/** Dependents are counted for these only. */
const counted = new Set<Ecosystem>(["npm", "cargo", "maven", "pypi"]);

/** deps.dev: versions and dates where the registry gives none, and dependents of one version. */
export class DepsdevSource {
  readonly client: SourceClient;

  constructor(client: SourceClient) {
    this.client = client;
  }

  /** Undefined: it has nothing of the ecosystem. */
  package(ecosystem: Ecosystem, name: string): Promise<Outcome<IndexedPackage>> | undefined {
    const path = packagePath("v3", ecosystem, name);
    if (path === undefined) return undefined;
    return this.client.get({
      path,
      reading: "depsdev.package.1",
      read: jsonReader({ members: { versions: { each: "whole" } } }, (picked) =>
        indexedPackage(ecosystem, asRecords(asRecord(picked)["versions"])),
      ),
      maxBytes: 32 * 1024 * 1024,
    });
  }

  /** Number of packages that depend on a version, directly or not. */
  dependents(
    ecosystem: Ecosystem,
    name: string,
    version: string,
  ): Promise<Outcome<number>> | undefined {
    const path = packagePath("v3alpha", ecosystem, name);
    if (path === undefined || !counted.has(ecosystem)) return undefined;
    return this.client.get({
      path: `${path}${pathOf("versions", version)}:dependents`,
      reading: "depsdev.dependents.1",
      read: jsonReader(wholeMembers("dependentCount"), (picked): number => {
        const count = asCount(asRecord(picked)["dependentCount"]);
        if (count === undefined) throw new DocumentFault("unreadable");
        return count;
      }),
    });
  }
}

function packagePath(api: string, ecosystem: Ecosystem, name: string): string | undefined {
  const system = systems[ecosystem];
  return system === undefined ? undefined : pathOf(api, "systems", system, "packages", name);
}

function indexedPackage(ecosystem: Ecosystem, versions: readonly JsonRecord[]): IndexedPackage {
  const isDefault = versions.find((entry) => entry["isDefault"] === true);
  return {
    versions: sortedVersions(
      versionOrders[ecosystem],
      versions.flatMap((entry) => versionOf(ecosystem, entry)),
    ),
    defaultVersion: isDefault === undefined ? null : (keyOf(isDefault) ?? null),
  };
}

function versionOf(ecosystem: Ecosystem, entry: JsonRecord): readonly VersionFacts[] {
  const version = keyOf(entry);
  if (version === undefined) return [];
  const message = asText(entry["deprecatedReason"]) ?? null;
  return [
    {
      version,
      stable: versionOrders[ecosystem].isStable(version),
      releasedAt: asTime(entry["publishedAt"]) ?? null,
      ...(entry["isDeprecated"] === true && { deprecation: { message } }),
    },
  ];
}

function keyOf(entry: JsonRecord): string | undefined {
  return asText(asRecord(entry["versionKey"])["version"]);
}
