import { asSourceText, asSourceUrl } from "../fetch/source-text.ts";
import type { VersionFacts } from "../facts.ts";
import { DocumentError } from "../fetch/document-error.ts";
import { asCount, asRecord, asRecords, asText, asTime } from "../../platform/json-value.ts";
import { allMembers, type JsonShape } from "../../platform/json-stream/json-shape.ts";
import { formatLicense } from "../fetch/license-text.ts";
import { jsonReader } from "../fetch/read-document.ts";
import type { RepositoryLink } from "./registry.ts";
import { boundedVersions, sortVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

/** What is kept of a crate's page. */
export interface Crate {
  /** As it was published. */
  readonly name: string;
  readonly versions: readonly VersionFacts[];
  readonly links: readonly RepositoryLink[];
}

const shape: JsonShape = {
  members: {
    crate: allMembers("id", "name", "repository", "homepage"),
    versions: { each: allMembers("num", "created_at", "yanked", "yank_message", "license") },
  },
};

export const readCrate = jsonReader(shape, (picked): Crate => {
  const document = asRecord(picked);
  const crate = asRecord(document["crate"]);
  const name = asSourceText(crate["name"]) ?? asSourceText(crate["id"]);
  if (name === undefined) throw new DocumentError("unreadable");
  return {
    name,
    versions: sortVersions(
      versionOrders.cargo,
      boundedVersions(asRecords(document["versions"]).flatMap(versionOf)),
    ),
    links: [crate["repository"], crate["homepage"]]
      .map(asSourceUrl)
      .filter((url) => url !== undefined)
      .map((url) => ({ url, directory: null })),
  };
});

function versionOf(entry: Readonly<Record<string, unknown>>): readonly VersionFacts[] {
  const version = asText(entry["num"]);
  if (version === undefined) return [];
  const reason = asSourceText(entry["yank_message"]) ?? null;
  const license = formatLicense(entry["license"]);
  return [
    {
      version,
      stable: versionOrders.cargo.isStable(version),
      releasedAt: asTime(entry["created_at"]) ?? null,
      ...(entry["yanked"] === true && { withdrawal: { kind: "yanked" as const, reason } }),
      ...(license !== undefined && { license }),
    },
  ];
}

/** Number of users, or of teams, that own a crate. */
export const readCrateOwners = jsonReader(
  { members: { users: { each: allMembers("id") }, teams: { each: allMembers("id") } } },
  (picked): number => {
    const owners = asRecord(picked)["users"] ?? asRecord(picked)["teams"];
    if (!Array.isArray(owners)) throw new DocumentError("unreadable");
    return owners.length;
  },
);

/** Number of crates that depend on a crate. */
export const readReverseDependencies = jsonReader(
  { members: { meta: allMembers("total") } },
  (picked): number => {
    const total = asCount(asRecord(asRecord(picked)["meta"])["total"]);
    if (total === undefined) throw new DocumentError("unreadable");
    return total;
  },
);
