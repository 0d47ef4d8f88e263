import { truncateToOneLine } from "../fetch/source-text.ts";
import type { Ecosystem, PackageVersionFacts } from "../facts.ts";
import { versionOrderByEcosystem } from "../ecosystem/version-order.ts";
import { assertVersionCountWithinLimit, sortUniqueVersions } from "../ecosystem/sort-versions.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asNonNegativeInteger,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  isoDateToEpochMilliseconds,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  wholeMembersProjection,
  type JsonProjection,
} from "../../platform/json-stream/json-shape.ts";
import type { DataSourceDocumentLoadResult, DataSourceResult } from "../fetch/outcome.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import type { RepositoryAddress } from "./repository-address.ts";

/** What the aggregator knows of a package. */
export interface DepsdevPackage {
  readonly versions: readonly PackageVersionFacts[];
  /** By which it counts dependents. */
  readonly defaultVersion: string | null;
}

/** True, or null where nothing is said. */
export interface RepositoryArchiveStatus {
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
  readonly client: DataSourceClient;

  constructor(client: DataSourceClient) {
    this.client = client;
  }

  /** Undefined: it has nothing of the ecosystem. */
  package(
    ecosystem: Ecosystem,
    name: string,
  ): Promise<DataSourceResult<DepsdevPackage>> | undefined {
    const path = packagePath("v3", ecosystem, name);
    if (path === undefined) return undefined;
    return this.client.get({
      path,
      result: "depsdev.package.2",
      read: createJsonDocumentParser(packageShape, (picked) =>
        indexedPackage(ecosystem, asJsonObjectElements(asJsonObjectOrEmpty(picked)["versions"])),
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
  ): readonly Promise<DataSourceResult<RepositoryArchiveStatus>>[] {
    return this.client.getMany<RepositoryAddress, RepositoryArchiveStatus>({
      items: addresses,
      keyOf: projectId,
      result: "depsdev.project.1",
      isOptional: true,
      batchSize: 100,
      request: (items) => ({
        path: "/v3alpha/projectbatch",
        body: { requests: items.map((item) => ({ projectKey: { id: projectId(item) } })) },
        read: createJsonDocumentParser(
          { members: { responses: { each: projectShape } } },
          (picked) =>
            archivals(items, asJsonObjectElements(asJsonObjectOrEmpty(picked)["responses"])),
        ),
      }),
    });
  }

  /** Number of packages that depend on a version, directly or not. */
  dependents(
    ecosystem: Ecosystem,
    name: string,
    version: string,
  ): Promise<DataSourceResult<number>> | undefined {
    const path = packagePath("v3alpha", ecosystem, name);
    if (path === undefined || !counted.has(ecosystem)) return undefined;
    return this.client.get({
      path: `${path}${joinUrlPathSegments("versions", version)}:dependents`,
      result: "depsdev.dependents.1",
      read: createJsonDocumentParser(wholeMembersProjection("dependentCount"), (picked): number => {
        const count = asNonNegativeInteger(asJsonObjectOrEmpty(picked)["dependentCount"]);
        if (count === undefined) throw new DataSourceDocumentError("unreadable");
        return count;
      }),
    });
  }
}

const packageShape: JsonProjection = {
  members: {
    versions: {
      each: {
        members: {
          versionKey: wholeMembersProjection("version"),
          publishedAt: "whole",
          isDefault: "whole",
          isDeprecated: "whole",
          deprecatedReason: "whole",
        },
      },
    },
  },
};

const projectShape: JsonProjection = {
  members: {
    project: {
      members: {
        projectKey: "whole",
        scorecard: { members: { checks: { each: wholeMembersProjection("name", "reason") } } },
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
): readonly DataSourceDocumentLoadResult<RepositoryArchiveStatus>[] {
  return items.map((item, index) => {
    const project = asJsonObjectOrEmpty(responses[index]?.["project"]);
    const id = asNonBlankString(asJsonObjectOrEmpty(project["projectKey"])["id"])?.toLowerCase();
    if (id !== projectId(item)) return { kind: "missing" };
    const checks = asJsonObjectElements(asJsonObjectOrEmpty(project["scorecard"])["checks"]);
    const maintained = checks.find(({ name }) => name === "Maintained");
    const isArchived = /\barchived\b/i.test(asNonBlankString(maintained?.["reason"]) ?? "");
    return { kind: "document", document: { archived: isArchived ? true : null } };
  });
}

function packagePath(api: string, ecosystem: Ecosystem, name: string): string | undefined {
  if (!systems.has(ecosystem)) return undefined;
  return joinUrlPathSegments(api, "systems", ecosystem, "packages", name);
}

function indexedPackage(ecosystem: Ecosystem, versions: readonly JsonObject[]): DepsdevPackage {
  const isDefault = versions.find((entry) => entry["isDefault"] === true);
  return {
    versions: sortUniqueVersions(
      versionOrderByEcosystem[ecosystem],
      assertVersionCountWithinLimit(versions).flatMap((entry) => versionOf(ecosystem, entry)),
    ),
    defaultVersion: isDefault === undefined ? null : (keyOf(isDefault) ?? null),
  };
}

function versionOf(ecosystem: Ecosystem, entry: JsonObject): readonly PackageVersionFacts[] {
  const version = keyOf(entry);
  if (version === undefined) return [];
  const message = truncateToOneLine(entry["deprecatedReason"]) ?? null;
  return [
    {
      version,
      stable: versionOrderByEcosystem[ecosystem].isStable(version),
      releasedAt: isoDateToEpochMilliseconds(entry["publishedAt"]) ?? null,
      ...(entry["isDeprecated"] === true && { deprecation: { message } }),
    },
  ];
}

function keyOf(entry: JsonObject): string | undefined {
  return asNonBlankString(asJsonObjectOrEmpty(entry["versionKey"])["version"]);
}
