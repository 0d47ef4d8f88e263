import { truncateToOneLine, asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import type { PackageVersionFacts } from "../facts.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asNonNegativeInteger,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  isoDateToEpochMilliseconds,
} from "../../platform/json-value.ts";
import {
  wholeMembersProjection,
  type JsonProjection,
} from "../../platform/json-stream/json-shape.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import type { PackageRepositoryLink } from "./registry.ts";
import { assertVersionCountWithinLimit, sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

/** What is kept of a crate's page. */
export interface CrateMetadata {
  /** As it was published. */
  readonly name: string;
  readonly versions: readonly PackageVersionFacts[];
  readonly links: readonly PackageRepositoryLink[];
}

const shape: JsonProjection = {
  members: {
    crate: wholeMembersProjection("id", "name", "repository", "homepage"),
    versions: {
      each: wholeMembersProjection("num", "created_at", "yanked", "yank_message", "license"),
    },
  },
};

export const crateMetadataParser = createJsonDocumentParser(shape, (picked): CrateMetadata => {
  const document = asJsonObjectOrEmpty(picked);
  const crate = asJsonObjectOrEmpty(document["crate"]);
  const name = truncateToOneLine(crate["name"]) ?? truncateToOneLine(crate["id"]);
  if (name === undefined) throw new DataSourceDocumentError("unreadable");
  return {
    name,
    versions: sortUniqueVersions(
      versionOrderByEcosystem.cargo,
      assertVersionCountWithinLimit(asJsonObjectElements(document["versions"]).flatMap(versionOf)),
    ),
    links: [crate["repository"], crate["homepage"]]
      .map(asUrlWithinLengthLimit)
      .filter((url) => url !== undefined)
      .map((url) => ({ url, directory: null })),
  };
});

function versionOf(entry: Readonly<Record<string, unknown>>): readonly PackageVersionFacts[] {
  const version = asNonBlankString(entry["num"]);
  if (version === undefined) return [];
  const reason = truncateToOneLine(entry["yank_message"]) ?? null;
  const license = readLicenseName(entry["license"]);
  return [
    {
      version,
      stable: versionOrderByEcosystem.cargo.isStable(version),
      releasedAt: isoDateToEpochMilliseconds(entry["created_at"]) ?? null,
      ...(entry["yanked"] === true && { withdrawal: { kind: "yanked" as const, reason } }),
      ...(license !== undefined && { license }),
    },
  ];
}

/** Number of users, or of teams, that own a crate. */
export const crateOwnerCountParser = createJsonDocumentParser(
  {
    members: {
      users: { each: wholeMembersProjection("id") },
      teams: { each: wholeMembersProjection("id") },
    },
  },
  (picked): number => {
    const owners = asJsonObjectOrEmpty(picked)["users"] ?? asJsonObjectOrEmpty(picked)["teams"];
    if (!Array.isArray(owners)) throw new DataSourceDocumentError("unreadable");
    return owners.length;
  },
);

/** Number of crates that depend on a crate. */
export const crateDependentCountParser = createJsonDocumentParser(
  { members: { meta: wholeMembersProjection("total") } },
  (picked): number => {
    const total = asNonNegativeInteger(
      asJsonObjectOrEmpty(asJsonObjectOrEmpty(picked)["meta"])["total"],
    );
    if (total === undefined) throw new DataSourceDocumentError("unreadable");
    return total;
  },
);
