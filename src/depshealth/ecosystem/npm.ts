import type { DeprecationMark, Evidence, PackageMark, VersionFacts } from "../facts.ts";
import type { Derived } from "../fetch/derived.ts";
import { DocumentFault } from "../fetch/document-fault.ts";
import { asList, asRecord, asText, asTime, type JsonObject } from "../../platform/json-value.ts";
import { wholeMembers, type JsonShape } from "../../platform/json-stream/json-shape.ts";
import { licenseText } from "../fetch/license-text.ts";
import { isTooLarge } from "../fetch/exchange.ts";
import type { FetchOutcome } from "../fetch/outcome.ts";
import { jsonReader } from "../fetch/read-document.ts";
import { pathOf, type SourceClient } from "../fetch/source-client.ts";
import {
  emptyReading,
  type Registry,
  type RegistryReading,
  type RepositoryLink,
} from "./registry.ts";
import { npmRepositoryLink } from "./npm-repository-link.ts";
import { versionOrders } from "./version-order.ts";
import { sortedVersions } from "./sorted-versions.ts";

export interface NpmDependencies {
  /** The registry of a scope; of packages without one: undefined. */
  readonly clientOf: (scope: string | undefined) => SourceClient;
  readonly derived: Derived;
}

/** What is kept of a package document. */
interface NpmPackage {
  readonly name: string;
  readonly versions: readonly VersionFacts[];
  readonly tags: Readonly<Record<string, string>>;
  readonly maintainersCount: number | null;
  readonly links: readonly RepositoryLink[];
  /** Every version was taken down. */
  readonly isUnpublished: boolean;
}

const order = versionOrders.npm;
const largestDocumentBytes = 32 * 1024 * 1024;

/** What the registry's own holding packages are called (`0.0.1-security`, `0.0.1-security.2`). */
const holdingVersion = /^0\.0\.\d+-security(?:\.\d+)?$/;

/**
 * npm. The whole document is read, as it comes, because only it has dates and
 * maintainers; where it is larger than is read, the abbreviated one gives
 * versions and their marks.
 */
export class NpmRegistry implements Registry {
  readonly ecosystem = "npm";
  readonly order = order;
  readonly #dependencies: NpmDependencies;

  constructor(dependencies: NpmDependencies) {
    this.#dependencies = dependencies;
  }

  /** Old packages have upper-case names, which are other packages than the lower-case ones. */
  canonicalName(name: string): string | undefined {
    const isName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~!'()*-][a-z0-9._~!'()*-]*$/i.test(name);
    return isName && name.length <= 214 ? name : undefined;
  }

  async read(name: string): Promise<RegistryReading> {
    const client = this.#dependencies.clientOf(/^(@[^/]+)\//.exec(name)?.[1]);
    const whole = await client.get({
      path: pathOf(name),
      reading: "npm.package.2",
      read: wholeDocument,
      maxBytes: largestDocumentBytes,
      timeoutMs: 20_000,
    });
    if (!isTooLarge(whole)) {
      return this.#dependencies.derived.get("npm", [whole], () => reading(name, client, [whole]));
    }
    const short = await client.get({
      path: pathOf(name),
      headers: { accept: "application/vnd.npm.install-v1+json" },
      reading: "npm.abbreviated.2",
      read: wholeDocument,
      maxBytes: largestDocumentBytes,
      timeoutMs: 20_000,
    });
    return this.#dependencies.derived.get("npm", [short], () =>
      reading(name, client, [short, whole]),
    );
  }
}

const shape: JsonShape = {
  members: {
    name: "whole",
    "dist-tags": "whole",
    time: "whole",
    maintainers: { each: wholeMembers("name") },
    repository: "whole",
    homepage: "whole",
    versions: {
      each: wholeMembers(
        "deprecated",
        "repository",
        "license",
        "licenses",
        "hasInstallScript",
        "scripts",
      ),
    },
  },
};

const wholeDocument = jsonReader(shape, npmPackage);

function npmPackage(picked: unknown): NpmPackage {
  const document = asRecord(picked);
  if (!isPackage(document)) throw new DocumentFault("unreadable");
  const times = asRecord(document["time"]);
  const versions = asRecord(document["versions"]);
  const tags = Object.entries(asRecord(document["dist-tags"])).filter(
    (tag): tag is [string, string] => typeof tag[1] === "string",
  );
  const latest = asRecord(versions[Object.fromEntries(tags)["latest"] ?? ""]);
  const { maintainers } = document;
  return {
    name: asText(document["name"]) ?? "",
    versions: sortedVersions(order, [
      ...Object.entries(versions).map(([version, facts]) =>
        publish(version, asRecord(facts), times[version]),
      ),
      ...Object.entries(times)
        .filter(([version]) => isGone(version, versions))
        .map(([version, time]) => removedVersion(version, time)),
    ]),
    tags: Object.fromEntries(tags),
    // Somebody has published it: a mirror that lists nobody has left them out.
    maintainersCount: asList(maintainers).length || null,
    links: [document["repository"], latest["repository"], document["homepage"]].flatMap(
      npmRepositoryLink,
    ),
    isUnpublished: times["unpublished"] !== undefined && Object.keys(versions).length === 0,
  };
}

/** Other JSON under the name of a package is no word on it; only of one that was taken down nothing is left. */
function isPackage({ versions, time }: JsonObject): boolean {
  if (versions === undefined) return asRecord(time)["unpublished"] !== undefined;
  return isRecord(versions) && Object.values(versions).every(isRecord);
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function publish(
  version: string,
  facts: Readonly<Record<string, unknown>>,
  time: unknown,
): VersionFacts {
  const deprecation = deprecationOf(facts["deprecated"]);
  const license = licenseText(facts["license"] ?? facts["licenses"]);
  return {
    version,
    stable: order.isStable(version),
    releasedAt: asTime(time) ?? null,
    ...(deprecation !== undefined && { deprecation }),
    ...(license !== undefined && { license }),
    ...(hasInstallScript(facts) && { installScript: true as const }),
  };
}

/** The abbreviated document says so in a word, the whole one has the scripts. */
function hasInstallScript({ hasInstallScript: isSaid, scripts }: JsonObject): boolean {
  const names = Object.keys(asRecord(scripts));
  return isSaid === true || names.some((name) => /^(?:pre|post)?install$/.test(name));
}

/** Usually a text; some publish tools wrote booleans. An empty one takes the mark back. */
function deprecationOf(value: unknown): DeprecationMark | undefined {
  if (value === true) return { message: null };
  const message = asText(value);
  return message === undefined ? undefined : { message };
}

/** `time` still names versions that were unpublished, beside keys of its own. */
function isGone(key: string, versions: object): boolean {
  return /^\d/.test(key) && !Object.hasOwn(versions, key);
}

function removedVersion(version: string, time: unknown): VersionFacts {
  return {
    version,
    stable: order.isStable(version),
    releasedAt: asTime(time) ?? null,
    withdrawal: { kind: "removed", reason: null },
  };
}

function reading(
  name: string,
  client: SourceClient,
  outcomes: readonly FetchOutcome<NpmPackage>[],
): RegistryReading {
  const evidence: readonly Evidence[] = outcomes.flatMap((outcome) =>
    client.evidence("metadata", outcome),
  );
  const [outcome] = outcomes;
  if (outcome?.state !== "found") {
    const existence = outcome?.state === "missing" ? "not_found" : "undetermined";
    return emptyReading(name, existence, evidence);
  }
  const { document } = outcome;
  const { latest } = document.tags;
  const mark = document.isUnpublished || isHeld(document) ? removalMark : undefined;
  return {
    existence: document.isUnpublished ? "removed" : "found",
    name: document.name === "" ? name : document.name,
    versions: document.versions,
    tags: new Map(Object.entries(document.tags)),
    ...(latest !== undefined && { latestTag: latest }),
    ...(mark !== undefined && { mark }),
    links: document.links,
    maintainersCount: document.maintainersCount,
    dependentsCount: null,
    replacements: [],
    evidence,
  };
}

const removalMark: PackageMark = { kind: "removed", message: null };

/** The registry put a package of its own in the place of one that it took down. */
function isHeld({ versions, tags }: NpmPackage): boolean {
  const newest = versions.find(({ withdrawal }) => withdrawal === undefined);
  const latest = tags["latest"] ?? newest?.version;
  return latest !== undefined && holdingVersion.test(latest);
}
