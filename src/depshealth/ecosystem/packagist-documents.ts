import { asSourceText, asSourceUrl } from "../fetch/source-text.ts";
import type { VersionFacts } from "../facts.ts";
import { DocumentError } from "../fetch/document-error.ts";
import {
  asCount,
  asList,
  asRecord,
  asRecords,
  asText,
  asTime,
  type JsonObject,
} from "../../platform/json-value.ts";
import { allMembers } from "../../platform/json-stream/json-shape.ts";
import { formatLicense } from "../fetch/license-text.ts";
import { jsonReader, type DocumentReader } from "../fetch/read-document.ts";
import type { RepositoryLink } from "./registry.ts";
import { boundedVersions, sortVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

/** A package that its maintainer has given up. */
export interface Abandonment {
  /** Package that the maintainer points to; null: none. */
  readonly successor: string | null;
}

/** What is kept of the file of versions. */
export interface ComposerPackage {
  readonly versions: readonly VersionFacts[];
  readonly links: readonly RepositoryLink[];
  readonly abandonment: Abandonment | undefined;
}

/** What is kept of the site's page. */
export interface ComposerPage extends ComposerPackage {
  readonly maintainersCount: number | null;
  readonly dependentsCount: number | null;
}

const versionShape = allMembers("version", "time", "abandoned", "source", "license", "type");

/** The file of a package's tagged versions, each written as what differs from the one before. */
export function readFiles(name: string): DocumentReader<ComposerPackage> {
  const shape = {
    members: { minified: "whole", packages: { each: { each: versionShape } } },
  } as const;
  return jsonReader(shape, (picked): ComposerPackage => {
    const document = asRecord(picked);
    const packages = Object.entries(asRecord(document["packages"]));
    const own = packages.find(([key]) => key.toLowerCase() === name)?.[1];
    if (!Array.isArray(own)) throw new DocumentError("unreadable");
    const entries = document["minified"] === undefined ? asRecords(own) : expand(asRecords(own));
    return composerPackage(entries, undefined);
  });
}

/** The page of a package, its versions by name. */
export const readSite = jsonReader(
  {
    members: {
      package: {
        members: {
          repository: "whole",
          abandoned: "whole",
          dependents: "whole",
          maintainers: { each: allMembers("name") },
          versions: { each: versionShape },
        },
      },
    },
  },
  (picked): ComposerPage => {
    const page = asRecord(asRecord(picked)["package"]);
    if (Object.keys(page).length === 0) throw new DocumentError("unreadable");
    const versions = asRecords(Object.values(asRecord(page["versions"])));
    const { maintainers, repository } = page;
    const url = asSourceUrl(repository);
    const known = composerPackage(versions, abandonmentOf(page["abandoned"]));
    return {
      ...known,
      links: url === undefined ? known.links : [{ url, directory: null }],
      maintainersCount: Array.isArray(maintainers) ? asList(maintainers).length : null,
      dependentsCount: asCount(page["dependents"]) ?? null,
    };
  },
);

function composerPackage(
  entries: readonly JsonObject[],
  abandonment: Abandonment | undefined,
): ComposerPackage {
  const versions = entries.flatMap(versionOf);
  const sources = entries.flatMap(({ source }) => asSourceUrl(asRecord(source)["url"]) ?? []);
  const [newest] = entries;
  return {
    versions: sortVersions(versionOrders.packagist, boundedVersions(versions)),
    links: [...new Set(sources)].slice(0, 1).map((url) => ({ url, directory: null })),
    abandonment: abandonment ?? abandonmentOf(newest?.["abandoned"]),
  };
}

/** `true`, or the name of the successor; some wrote an empty text for no. */
function abandonmentOf(value: unknown): Abandonment | undefined {
  if (value === true) return { successor: null };
  const successor = asSourceText(value);
  return successor === undefined ? undefined : { successor };
}

function versionOf(entry: JsonObject): readonly VersionFacts[] {
  const version = asText(entry["version"]);
  // Branches are no releases.
  if (version === undefined || /^dev-|-dev$/.test(version)) return [];
  const stable = versionOrders.packagist.isStable(version);
  const license = formatLicense(entry["license"]);
  const releasedAt = asTime(entry["time"]) ?? null;
  return [
    {
      version,
      stable,
      releasedAt,
      ...(license !== undefined && { license }),
      // Composer loads it while it installs.
      ...(entry["type"] === "composer-plugin" && { installScript: true as const }),
    },
  ];
}

/** What an entry does not name is as in the one before; `__unset` takes it away. */
function expand(entries: readonly JsonObject[]): readonly JsonObject[] {
  let before: JsonObject = {};
  return entries.map((entry) => {
    const merged = { ...before, ...entry };
    const kept = Object.entries(merged).filter(([, value]) => value !== "__unset");
    before = Object.fromEntries(kept);
    return before;
  });
}
