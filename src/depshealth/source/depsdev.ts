import { asSourceText } from "../fetch/source-text.ts";
import type { Ecosystem, VersionFacts } from "../facts.ts";
import { versionOrders } from "../ecosystem/version-order.ts";
import { boundedVersions, sortVersions } from "../ecosystem/sort-versions.ts";
import { DocumentError } from "../fetch/document-error.ts";
import {
  asCount,
  asRecord,
  asRecords,
  asText,
  asTime,
  type JsonObject,
} from "../../platform/json-value.ts";
import { allMembers, type JsonShape } from "../../platform/json-stream/json-shape.ts";
import type { LoadResult, FetchOutcome } from "../fetch/outcome.ts";
import { jsonReader } from "../fetch/read-document.ts";
import { joinPath, type SourceClient } from "../fetch/source-client.ts";
import type { RepositoryAddress } from "./repository-address.ts";

/** What the aggregator knows of a package. */
export interface IndexedPackage {
  readonly versions: readonly VersionFacts[];
  /** By which it counts dependents. */
  readonly defaultVersion: string | null;
}

/** True, or null where nothing is said. */
export interface ArchiveStatus {
  readonly archived: true | null;
}

/** Ecosystems that it knows, as its paths spell them. */
const systems = new Set<Ecosystem>(["npm", "pypi", "cargo", "rubygems", "go", "maven", "nuget"]);

/** Dependents are counted for these only. */
const counted = new Set<Ecosystem>(["npm", "cargo", "maven", "pypi"]);

/** Hosts whose projects it knows. */
const projectHosts = new Set(["github.com", "gitlab.com", "bitbucket.org"]);

/** deps.dev: versions and dates where the registry gives none, and dependents of one version. */
export class DepsdevSource {
  readonly client: SourceClient;

  constructor(client: SourceClient) {
    this.client = client;
  }

  /** Undefined: it has nothing of the ecosystem. */
  package(ecosystem: Ecosystem, name: string): Promise<FetchOutcome<IndexedPackage>> | undefined {
    const path = packagePath("v3", ecosystem, name);
    if (path === undefined) return undefined;
    return this.client.get({
      path,
      result: "depsdev.package.2",
      read: jsonReader(packageShape, (picked) =>
        indexedPackage(ecosystem, asRecords(asRecord(picked)["versions"])),
      ),
      maxBytes: 32 * 1024 * 1024,
    });
  }

  /** Whether it knows projects of the host. */
  hasProjects({ host }: RepositoryAddress): boolean {
    return projectHosts.has(host);
  }

  /**
   * Whether repositories are archived, by the words of their scorecard: it says
   * so of those that are, and nothing of the others. All in one request.
   */
  archived(
    addresses: readonly RepositoryAddress[],
  ): readonly Promise<FetchOutcome<ArchiveStatus>>[] {
    return this.client.getMany<RepositoryAddress, ArchiveStatus>({
      items: addresses,
      keyOf: projectId,
      result: "depsdev.project.1",
      isOptional: true,
      batchSize: 100,
      request: (items) => ({
        path: "/v3alpha/projectbatch",
        body: { requests: items.map((item) => ({ projectKey: { id: projectId(item) } })) },
        read: jsonReader({ members: { responses: { each: projectShape } } }, (picked) =>
          archivals(items, asRecords(asRecord(picked)["responses"])),
        ),
      }),
    });
  }

  /** Number of packages that depend on a version, directly or not. */
  dependents(
    ecosystem: Ecosystem,
    name: string,
    version: string,
  ): Promise<FetchOutcome<number>> | undefined {
    const path = packagePath("v3alpha", ecosystem, name);
    if (path === undefined || !counted.has(ecosystem)) return undefined;
    return this.client.get({
      path: `${path}${joinPath("versions", version)}:dependents`,
      result: "depsdev.dependents.1",
      read: jsonReader(allMembers("dependentCount"), (picked): number => {
        const count = asCount(asRecord(picked)["dependentCount"]);
        if (count === undefined) throw new DocumentError("unreadable");
        return count;
      }),
    });
  }
}

const packageShape: JsonShape = {
  members: {
    versions: {
      each: {
        members: {
          versionKey: allMembers("version"),
          publishedAt: "whole",
          isDefault: "whole",
          isDeprecated: "whole",
          deprecatedReason: "whole",
        },
      },
    },
  },
};

const projectShape: JsonShape = {
  members: {
    project: {
      members: {
        projectKey: "whole",
        scorecard: { members: { checks: { each: allMembers("name", "reason") } } },
      },
    },
  },
};

function projectId({ host, owner, name }: RepositoryAddress): string {
  return `${host}/${owner}/${name}`.toLowerCase();
}

/** A project that is not known has a response without one. */
function archivals(
  items: readonly RepositoryAddress[],
  responses: readonly JsonObject[],
): readonly LoadResult<ArchiveStatus>[] {
  return items.map((item, index) => {
    const project = asRecord(responses[index]?.["project"]);
    const id = asText(asRecord(project["projectKey"])["id"])?.toLowerCase();
    if (id !== projectId(item)) return { kind: "missing" };
    const checks = asRecords(asRecord(project["scorecard"])["checks"]);
    const maintained = checks.find(({ name }) => name === "Maintained");
    const isArchived = /\barchived\b/i.test(asText(maintained?.["reason"]) ?? "");
    return { kind: "document", document: { archived: isArchived ? true : null } };
  });
}

function packagePath(api: string, ecosystem: Ecosystem, name: string): string | undefined {
  if (!systems.has(ecosystem)) return undefined;
  return joinPath(api, "systems", ecosystem, "packages", name);
}

function indexedPackage(ecosystem: Ecosystem, versions: readonly JsonObject[]): IndexedPackage {
  const isDefault = versions.find((entry) => entry["isDefault"] === true);
  return {
    versions: sortVersions(
      versionOrders[ecosystem],
      boundedVersions(versions).flatMap((entry) => versionOf(ecosystem, entry)),
    ),
    defaultVersion: isDefault === undefined ? null : (keyOf(isDefault) ?? null),
  };
}

function versionOf(ecosystem: Ecosystem, entry: JsonObject): readonly VersionFacts[] {
  const version = keyOf(entry);
  if (version === undefined) return [];
  const message = asSourceText(entry["deprecatedReason"]) ?? null;
  return [
    {
      version,
      stable: versionOrders[ecosystem].isStable(version),
      releasedAt: asTime(entry["publishedAt"]) ?? null,
      ...(entry["isDeprecated"] === true && { deprecation: { message } }),
    },
  ];
}

function keyOf(entry: JsonObject): string | undefined {
  return asText(asRecord(entry["versionKey"])["version"]);
}
