import { truncateToOneLine, asSourceUrl } from "../fetch/source-text.ts";
import type { VersionFacts } from "../facts.ts";
import { SourceDocumentReadError } from "../fetch/document-error.ts";
import {
  asNonNegativeInteger,
  asJsonObjectOrEmpty,
  asJsonObjectsOrEmpty,
  asNonBlankString,
  isoDateToEpochMilliseconds,
} from "../../platform/json-value.ts";
import { wholeMembersShape, type JsonProjection } from "../../platform/json-stream/json-shape.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { createJsonSourceParser } from "../fetch/read-document.ts";
import type { RepositoryLink } from "./registry.ts";
import { assertVersionCount, sortUniqueVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

/** What is kept of a crate's page. */
export interface Crate {
  /** As it was published. */
  readonly name: string;
  readonly versions: readonly VersionFacts[];
  readonly links: readonly RepositoryLink[];
}

const shape: JsonProjection = {
  members: {
    crate: wholeMembersShape("id", "name", "repository", "homepage"),
    versions: { each: wholeMembersShape("num", "created_at", "yanked", "yank_message", "license") },
  },
};

export const crateReader = createJsonSourceParser(shape, (picked): Crate => {
  const document = asJsonObjectOrEmpty(picked);
  const crate = asJsonObjectOrEmpty(document["crate"]);
  const name = truncateToOneLine(crate["name"]) ?? truncateToOneLine(crate["id"]);
  if (name === undefined) throw new SourceDocumentReadError("unreadable");
  return {
    name,
    versions: sortUniqueVersions(
      versionOrders.cargo,
      assertVersionCount(asJsonObjectsOrEmpty(document["versions"]).flatMap(versionOf)),
    ),
    links: [crate["repository"], crate["homepage"]]
      .map(asSourceUrl)
      .filter((url) => url !== undefined)
      .map((url) => ({ url, directory: null })),
  };
});

function versionOf(entry: Readonly<Record<string, unknown>>): readonly VersionFacts[] {
  const version = asNonBlankString(entry["num"]);
  if (version === undefined) return [];
  const reason = truncateToOneLine(entry["yank_message"]) ?? null;
  const license = readLicenseName(entry["license"]);
  return [
    {
      version,
      stable: versionOrders.cargo.isStable(version),
      releasedAt: isoDateToEpochMilliseconds(entry["created_at"]) ?? null,
      ...(entry["yanked"] === true && { withdrawal: { kind: "yanked" as const, reason } }),
      ...(license !== undefined && { license }),
    },
  ];
}

/** Number of users, or of teams, that own a crate. */
export const crateOwnerCountReader = createJsonSourceParser(
  {
    members: { users: { each: wholeMembersShape("id") }, teams: { each: wholeMembersShape("id") } },
  },
  (picked): number => {
    const owners = asJsonObjectOrEmpty(picked)["users"] ?? asJsonObjectOrEmpty(picked)["teams"];
    if (!Array.isArray(owners)) throw new SourceDocumentReadError("unreadable");
    return owners.length;
  },
);

/** Number of crates that depend on a crate. */
export const reverseDependencyCountReader = createJsonSourceParser(
  { members: { meta: wholeMembersShape("total") } },
  (picked): number => {
    const total = asNonNegativeInteger(
      asJsonObjectOrEmpty(asJsonObjectOrEmpty(picked)["meta"])["total"],
    );
    if (total === undefined) throw new SourceDocumentReadError("unreadable");
    return total;
  },
);
