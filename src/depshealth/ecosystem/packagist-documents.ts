import { truncateToOneLine, asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import type { PackageVersionFacts } from "../facts.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asNonNegativeInteger,
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  isoDateToEpochMilliseconds,
  type JsonObject,
} from "../../platform/json-value.ts";
import { wholeMembersProjection } from "../../platform/json-stream/json-shape.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { createJsonDocumentParser, type DataSourceDocumentParser } from "../fetch/read-document.ts";
import type { PackageRepositoryLink } from "./registry.ts";
import { assertVersionCountWithinLimit, sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

/** A package that its maintainer has given up. */
export interface PackagistAbandonment {
  /** Package that the maintainer points to; null: none. */
  readonly successor: string | null;
}

/** What is kept of the file of versions. */
export interface PackagistPackageMetadata {
  readonly versions: readonly PackageVersionFacts[];
  readonly links: readonly PackageRepositoryLink[];
  readonly abandonment: PackagistAbandonment | undefined;
}

/** What is kept of the site's page. */
export interface PackagistPage extends PackagistPackageMetadata {
  readonly maintainersCount: number | null;
  readonly dependentsCount: number | null;
}

const versionShape = wholeMembersProjection(
  "version",
  "time",
  "abandoned",
  "source",
  "license",
  "type",
);

/** The file of a package's tagged versions, each written as what differs from the one before. */
export function createPackagistVersionsParser(
  name: string,
): DataSourceDocumentParser<PackagistPackageMetadata> {
  const shape = {
    members: { minified: "whole", packages: { each: { each: versionShape } } },
  } as const;
  return createJsonDocumentParser(shape, (picked): PackagistPackageMetadata => {
    const document = asJsonObjectOrEmpty(picked);
    const packages = Object.entries(asJsonObjectOrEmpty(document["packages"]));
    const own = packages.find(([key]) => key.toLowerCase() === name)?.[1];
    if (!Array.isArray(own)) throw new DataSourceDocumentError("unreadable");
    const entries =
      document["minified"] === undefined
        ? asJsonObjectElements(own)
        : expand(asJsonObjectElements(own));
    return composerPackage(entries, undefined);
  });
}

/** The page of a package, its versions by name. */
export const packagistPageParser = createJsonDocumentParser(
  {
    members: {
      package: {
        members: {
          repository: "whole",
          abandoned: "whole",
          dependents: "whole",
          maintainers: { each: wholeMembersProjection("name") },
          versions: { each: versionShape },
        },
      },
    },
  },
  (picked): PackagistPage => {
    const page = asJsonObjectOrEmpty(asJsonObjectOrEmpty(picked)["package"]);
    if (Object.keys(page).length === 0) throw new DataSourceDocumentError("unreadable");
    const versions = asJsonObjectElements(Object.values(asJsonObjectOrEmpty(page["versions"])));
    const { maintainers, repository } = page;
    const url = asUrlWithinLengthLimit(repository);
    const known = composerPackage(versions, abandonmentOf(page["abandoned"]));
    return {
      ...known,
      links: url === undefined ? known.links : [{ url, directory: null }],
      maintainersCount: Array.isArray(maintainers) ? asArrayOrEmpty(maintainers).length : null,
      dependentsCount: asNonNegativeInteger(page["dependents"]) ?? null,
    };
  },
);

function composerPackage(
  entries: readonly JsonObject[],
  abandonment: PackagistAbandonment | undefined,
): PackagistPackageMetadata {
  const versions = entries.flatMap(versionOf);
  const sources = entries.flatMap(
    ({ source }) => asUrlWithinLengthLimit(asJsonObjectOrEmpty(source)["url"]) ?? [],
  );
  const [newest] = entries;
  return {
    versions: sortUniqueVersions(
      versionOrderByEcosystem.packagist,
      assertVersionCountWithinLimit(versions),
    ),
    links: [...new Set(sources)].slice(0, 1).map((url) => ({ url, directory: null })),
    abandonment: abandonment ?? abandonmentOf(newest?.["abandoned"]),
  };
}

/** `true`, or the name of the successor; some wrote an empty text for no. */
function abandonmentOf(value: unknown): PackagistAbandonment | undefined {
  if (value === true) return { successor: null };
  const successor = truncateToOneLine(value);
  return successor === undefined ? undefined : { successor };
}

function versionOf(entry: JsonObject): readonly PackageVersionFacts[] {
  const version = asNonBlankString(entry["version"]);
  // Branches are no releases.
  if (version === undefined || /^dev-|-dev$/.test(version)) return [];
  const stable = versionOrderByEcosystem.packagist.isStable(version);
  const license = readLicenseName(entry["license"]);
  const releasedAt = isoDateToEpochMilliseconds(entry["time"]) ?? null;
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
