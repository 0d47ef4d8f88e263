import type { VersionFacts } from "../facts.ts";
import { DocumentFault } from "../fetch/document-fault.ts";
import { asCount, asRecord, asRecords, asText, asTime } from "../../platform/json-value.ts";
import { wholeMembers, type JsonShape } from "../../platform/json-stream/json-shape.ts";
import { licenseText } from "../fetch/license-text.ts";
import { jsonReader } from "../fetch/read-document.ts";
import type { RepositoryLink } from "./registry.ts";
import { sortedVersions } from "./sorted-versions.ts";
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
    crate: wholeMembers("id", "name", "repository", "homepage"),
    versions: { each: wholeMembers("num", "created_at", "yanked", "yank_message", "license") },
  },
};

export const readCrate = jsonReader(shape, (picked): Crate => {
  const document = asRecord(picked);
  const crate = asRecord(document["crate"]);
  const name = asText(crate["name"]) ?? asText(crate["id"]);
  if (name === undefined) throw new DocumentFault("unreadable");
  return {
    name,
    versions: sortedVersions(
      versionOrders.cargo,
      asRecords(document["versions"]).flatMap(versionOf),
    ),
    links: [crate["repository"], crate["homepage"]]
      .map(asText)
      .filter((url) => url !== undefined)
      .map((url) => ({ url, directory: null })),
  };
});

function versionOf(entry: Readonly<Record<string, unknown>>): readonly VersionFacts[] {
  const version = asText(entry["num"]);
  if (version === undefined) return [];
  const reason = asText(entry["yank_message"]) ?? null;
  const license = licenseText(entry["license"]);
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
  { members: { users: { each: wholeMembers("id") }, teams: { each: wholeMembers("id") } } },
  (picked): number => {
    const owners = asRecord(picked)["users"] ?? asRecord(picked)["teams"];
    if (!Array.isArray(owners)) throw new DocumentFault("unreadable");
    return owners.length;
  },
);

/** Number of crates that depend on a crate. */
export const readReverseDependencies = jsonReader(
  { members: { meta: wholeMembers("total") } },
  (picked): number => {
    const total = asCount(asRecord(asRecord(picked)["meta"])["total"]);
    if (total === undefined) throw new DocumentFault("unreadable");
    return total;
  },
);
