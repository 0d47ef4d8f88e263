import { truncateToOneLine, isUsableDataSourceIdentifier } from "../fetch/source-text.ts";
import type {
  PackageDeprecationNotice,
  DataSourceEvidence,
  RegistryPackageStatus,
  PackageVersionFacts,
} from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asNonBlankString,
  isJsonObject,
  isoDateToEpochMilliseconds,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  wholeMembersProjection,
  type JsonProjection,
} from "../../platform/json-stream/json-shape.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { isDocumentTooLargeFailure } from "../fetch/fetch-document.ts";
import type { DataSourceResult } from "../fetch/outcome.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import {
  createEmptyPackageRegistryResult,
  type PackageRegistry,
  type PackageRegistryResult,
  type PackageRepositoryLink,
} from "./registry.ts";
import { toNpmRepositoryLinks } from "./npm-repository-link.ts";
import { versionOrderByEcosystem } from "./version-order.ts";
import { mapInBatches } from "./map-in-batches.ts";
import { assertVersionCountWithinLimit, sortUniqueVersionsInBatches } from "./sort-versions.ts";

export interface NpmRegistryDependencies {
  /** The registry of a scope; of packages without one: undefined. */
  readonly clientOf: (scope: string | undefined) => DataSourceClient;
  readonly derived: WeakMemo;
}

/** What is kept of a package document. */
interface NpmPackage {
  readonly name: string;
  readonly versions: readonly PackageVersionFacts[];
  readonly tags: Readonly<Record<string, string>>;
  readonly maintainersCount: number | null;
  readonly links: readonly PackageRepositoryLink[];
  /** Every version was taken down. */
  readonly isUnpublished: boolean;
}

const order = versionOrderByEcosystem.npm;
const maxDocumentBytes = 32 * 1024 * 1024;

/** What the registry's own holding packages are called (`0.0.1-security`, `0.0.1-security.2`). */
const holdingVersion = /^0\.0\.\d+-security(?:\.\d+)?$/;

/**
 * npm. The whole document is read, as it comes, because only it has dates and
 * maintainers; where it is larger than is read, the abbreviated one gives
 * versions and their marks.
 */
export class NpmRegistry implements PackageRegistry {
  readonly ecosystem = "npm";
  readonly order = order;
  readonly #dependencies: NpmRegistryDependencies;

  constructor(dependencies: NpmRegistryDependencies) {
    this.#dependencies = dependencies;
  }

  /** Old packages have upper-case names, which are other packages than the lower-case ones. */
  canonicalName(name: string): string | undefined {
    const isName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~!'()*-][a-z0-9._~!'()*-]*$/i.test(name);
    return isName && name.length <= 214 ? name : undefined;
  }

  async read(name: string): Promise<PackageRegistryResult> {
    const client = this.#dependencies.clientOf(/^(@[^/]+)\//.exec(name)?.[1]);
    const whole = await client.get({
      path: joinUrlPathSegments(name),
      result: "npm.package.4",
      read: npmPackageDocumentParser,
      maxBytes: maxDocumentBytes,
      timeoutMs: 20_000,
    });
    if (!isDocumentTooLargeFailure(whole)) {
      return this.#dependencies.derived.get(`npm ${name}`, [whole], () =>
        reading(name, client, [whole]),
      );
    }
    const short = await client.get({
      path: joinUrlPathSegments(name),
      headers: { accept: "application/vnd.npm.install-v1+json" },
      result: "npm.abbreviated.4",
      read: npmPackageDocumentParser,
      maxBytes: maxDocumentBytes,
      timeoutMs: 20_000,
    });
    return this.#dependencies.derived.get(`npm ${name}`, [short], () =>
      reading(name, client, [short, whole]),
    );
  }
}

const shape: JsonProjection = {
  members: {
    name: "whole",
    "dist-tags": "whole",
    time: "whole",
    maintainers: { each: wholeMembersProjection("name") },
    repository: "whole",
    homepage: "whole",
    versions: {
      each: {
        members: {
          deprecated: "whole",
          repository: "whole",
          license: "whole",
          licenses: "whole",
          hasInstallScript: "whole",
          scripts: wholeMembersProjection("preinstall", "install", "postinstall"),
        },
      },
    },
  },
};

export const npmPackageDocumentParser = createJsonDocumentParser(shape, npmPackage);

async function npmPackage(picked: unknown): Promise<NpmPackage> {
  const document = asJsonObjectOrEmpty(picked);
  if (!isPackage(document)) throw new DataSourceDocumentError("unreadable");
  const times = asJsonObjectOrEmpty(document["time"]);
  const versions = asJsonObjectOrEmpty(document["versions"]);
  const tags = Object.entries(asJsonObjectOrEmpty(document["dist-tags"])).filter(
    (tag): tag is [string, string] =>
      typeof tag[1] === "string" && isUsableDataSourceIdentifier(tag[1]),
  );
  const latest = asJsonObjectOrEmpty(versions[Object.fromEntries(tags)["latest"] ?? ""]);
  const { maintainers } = document;
  const published = await mapInBatches(
    assertVersionCountWithinLimit(Object.entries(versions)),
    ([version, facts]) => publish(version, asJsonObjectOrEmpty(facts), times[version]),
  );
  const removed = await mapInBatches(
    assertVersionCountWithinLimit(
      Object.entries(times).filter(([version]) => isGone(version, versions)),
    ),
    ([version, time]) => removedVersion(version, time),
  );
  return {
    name: truncateToOneLine(document["name"]) ?? "",
    versions: await sortUniqueVersionsInBatches(order, [...published, ...removed]),
    tags: Object.fromEntries(tags),
    // Somebody has published it: a mirror that lists nobody has left them out.
    maintainersCount: asArrayOrEmpty(maintainers).length || null,
    links: [document["repository"], latest["repository"], document["homepage"]].flatMap(
      toNpmRepositoryLinks,
    ),
    isUnpublished: times["unpublished"] !== undefined && Object.keys(versions).length === 0,
  };
}

/** Other JSON under the name of a package is no word on it; only of one that was taken down nothing is left. */
function isPackage({ versions, time }: JsonObject): boolean {
  if (versions === undefined) return asJsonObjectOrEmpty(time)["unpublished"] !== undefined;
  return isJsonObject(versions) && Object.values(versions).every(isJsonObject);
}

function publish(
  version: string,
  facts: Readonly<Record<string, unknown>>,
  time: unknown,
): PackageVersionFacts {
  const deprecation = deprecationOf(facts["deprecated"]);
  const license = readLicenseName(facts["license"] ?? facts["licenses"]);
  return {
    version,
    stable: order.isStable(version),
    releasedAt: isoDateToEpochMilliseconds(time) ?? null,
    ...(deprecation !== undefined && { deprecation }),
    ...(license !== undefined && { license }),
    ...(hasInstallScript(facts) && { installScript: true as const }),
  };
}

/** The abbreviated document says so in a word, the whole one has the scripts. */
function hasInstallScript({ hasInstallScript: isSaid, scripts }: JsonObject): boolean {
  const names = Object.keys(asJsonObjectOrEmpty(scripts));
  return isSaid === true || names.some((name) => /^(?:pre|post)?install$/.test(name));
}

/**
 * Reads the mark of a version: usually a text, of which an empty one takes the mark back. Some
 * publish tools wrote booleans, which have no message.
 */
function deprecationOf(value: unknown): PackageDeprecationNotice | undefined {
  const isMarked = typeof value === "string" ? asNonBlankString(value) !== undefined : value;
  return isMarked ? { message: truncateToOneLine(value) ?? null } : undefined;
}

/** `time` still names versions that were unpublished, beside keys of its own. */
function isGone(key: string, versions: object): boolean {
  return /^\d/.test(key) && !Object.hasOwn(versions, key);
}

function removedVersion(version: string, time: unknown): PackageVersionFacts {
  return {
    version,
    stable: order.isStable(version),
    releasedAt: isoDateToEpochMilliseconds(time) ?? null,
    withdrawal: { kind: "removed", reason: null },
  };
}

function reading(
  name: string,
  client: DataSourceClient,
  outcomes: readonly DataSourceResult<NpmPackage>[],
): PackageRegistryResult {
  const evidence: readonly DataSourceEvidence[] = outcomes.flatMap((outcome) =>
    client.evidence("metadata", outcome),
  );
  const [outcome] = outcomes;
  if (outcome?.state !== "found") {
    const existence = outcome?.state === "missing" ? "not_found" : "undetermined";
    return createEmptyPackageRegistryResult(name, existence, evidence);
  }
  const { document } = outcome;
  if (document.name !== "" && document.name.toLowerCase() !== name.toLowerCase()) {
    const error = "The source answered about another package.";
    const failed = evidence.map((entry) => ({ ...entry, ok: false, error }));
    return createEmptyPackageRegistryResult(name, "undetermined", failed);
  }
  const { latest } = document.tags;
  const mark = document.isUnpublished || isSecurityHolding(document) ? removalMark : undefined;
  return {
    existence: document.isUnpublished ? "removed" : "found",
    name: document.name === "" ? name : document.name,
    versions: document.versions,
    tags: new Map(Object.entries(document.tags)),
    ...(latest !== undefined && { latestTag: latest }),
    ...(mark !== undefined && { status: mark }),
    links: document.links,
    maintainersCount: document.maintainersCount,
    dependentsCount: null,
    replacements: [],
    evidence,
  };
}

const removalMark: RegistryPackageStatus = { kind: "removed", message: null };

/** The registry put a package of its own in the place of one that it took down. */
function isSecurityHolding({ versions, tags }: NpmPackage): boolean {
  const newest = versions.find(({ withdrawal }) => withdrawal === undefined);
  const latest = tags["latest"] ?? newest?.version;
  return latest !== undefined && holdingVersion.test(latest);
}
