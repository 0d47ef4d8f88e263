import { asSourceText, asSourceUrl } from "../fetch/source-text.ts";
import { boundedVersions } from "./sort-versions.ts";
import type { DeprecationNotice, VersionFacts } from "../facts.ts";
import { DocumentError } from "../fetch/document-error.ts";
import {
  asList,
  asRecord,
  asRecords,
  asText,
  asTexts,
  asTime,
  type JsonObject,
} from "../../platform/json-value.ts";
import { allMembers, type JsonShape } from "../../platform/json-stream/json-shape.ts";
import { formatLicense } from "../fetch/license-text.ts";
import { jsonReader, textReader } from "../fetch/read-document.ts";
import { versionOrders } from "./version-order.ts";
import { xmlRoot } from "./xml.ts";

/** Addresses that the service index gives, each with a slash at its end but the search. */
export interface NugetService {
  readonly registrations: string;
  readonly search: string | null;
  readonly contents: string | null;
}

/** Versions of a package, or of a page of it. */
export interface NugetVersions {
  /** As the publisher spells it. */
  readonly id: string | null;
  readonly versions: readonly VersionFacts[];
  /** Of the newest version that has one. */
  readonly projectUrl: string | null;
  /** Addresses of pages that are not in the document. */
  readonly pages: readonly string[];
}

const leaf = {
  members: {
    catalogEntry: allMembers(
      "id",
      "version",
      "listed",
      "published",
      "deprecation",
      "projectUrl",
      "licenseExpression",
    ),
  },
} as const;

const pageShape: JsonShape = {
  members: { "@id": "whole", count: "whole", items: { each: leaf } },
};

export const readService = jsonReader(
  { members: { resources: { each: allMembers("@id", "@type") } } },
  (picked): NugetService => {
    const resources = asRecords(asRecord(picked)["resources"]);
    const find = (pattern: RegExp): string | null =>
      resources.flatMap((it) =>
        typesOf(it).some((type) => pattern.test(type)) ? (asText(it["@id"]) ?? []) : [],
      )[0] ?? null;
    const registrations =
      find(/^RegistrationsBaseUrl\/3\.6\.0$/) ??
      find(/^RegistrationsBaseUrl\/Versioned$/) ??
      find(/^RegistrationsBaseUrl/);
    if (registrations === null) throw new DocumentError("unreadable");
    const contents = find(/^PackageBaseAddress\/3/);
    return {
      registrations: withSlash(registrations),
      search: find(/^SearchQueryService/),
      contents: contents === null ? null : withSlash(contents),
    };
  },
);

/** The index of a package: pages, small ones with their versions in it. */
export const readRegistration = jsonReader(
  { members: { items: { each: pageShape } } },
  (picked): NugetVersions => {
    const pages = asRecords(asRecord(picked)["items"]);
    const inline = pages.filter(({ items }) => Array.isArray(items));
    const entries = inline.flatMap(({ items }) => asRecords(items));
    const distant = pages.filter(({ items }) => !Array.isArray(items));
    return {
      ...nugetVersions(entries),
      pages: distant.flatMap((page) => asText(page["@id"]) ?? []),
    };
  },
);

export const readRegistrationPage = jsonReader(pageShape, (picked): NugetVersions =>
  nugetVersions(asRecords(asRecord(picked)["items"])),
);

/** Number of a package's owners; null when the search does not find it. */
export function readPackageOwners(id: string) {
  return jsonReader({ members: { data: { each: allMembers("id", "owners") } } }, (picked) => {
    const found = asRecords(asRecord(picked)["data"]).find(
      (entry) => asText(entry["id"])?.toLowerCase() === id,
    );
    if (found === undefined) throw new DocumentError("unreadable");
    const { owners } = found;
    return asText(owners) === undefined ? asList(owners).length : 1;
  });
}

/** Address of the repository that a manifest names. */
export const readNuspec = textReader((text): string | null => {
  const metadata = asRecord(xmlRoot(text, "package")["metadata"]);
  return asSourceUrl(asRecord(metadata["repository"])["@url"]) ?? null;
});

function nugetVersions(leaves: readonly JsonObject[]): NugetVersions {
  const entries = leaves.map(({ catalogEntry }) => asRecord(catalogEntry));
  const newest = entries.toReversed();
  return {
    id: newest.flatMap(({ id }) => asSourceText(id) ?? [])[0] ?? null,
    versions: boundedVersions(entries.flatMap(versionOf)),
    projectUrl: newest.flatMap(({ projectUrl }) => asSourceUrl(projectUrl) ?? [])[0] ?? null,
    pages: [],
  };
}

function versionOf(entry: JsonObject): readonly VersionFacts[] {
  const version = asText(entry["version"]);
  if (version === undefined) return [];
  const deprecation = deprecationOf(entry["deprecation"]);
  const withdrawal = { kind: "unlisted" as const, reason: null };
  const license = formatLicense(entry["licenseExpression"]);
  return [
    {
      version,
      stable: versionOrders.nuget.isStable(version),
      // Unlisted versions are dated 1900, which is no date.
      releasedAt: asTime(entry["published"]) ?? null,
      ...(deprecation !== undefined && { deprecation }),
      ...(entry["listed"] === false && { withdrawal }),
      ...(license !== undefined && { license }),
    },
  ];
}

/** Reasons are words of a fixed set, `Legacy` for instance; a message is optional. */
function deprecationOf(value: unknown): DeprecationNotice | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { reasons, message, alternatePackage } = asRecord(value);
  const alternative = asSourceText(asRecord(alternatePackage)["id"]);
  const words = (typeof reasons === "string" ? [reasons] : asTexts(reasons)).join(", ");
  return {
    message: asSourceText(message) ?? asSourceText(words) ?? null,
    ...(alternative !== undefined && { alternative }),
  };
}

function typesOf(resource: JsonObject): readonly string[] {
  const type = resource["@type"];
  return typeof type === "string" ? [type] : asTexts(type);
}

function withSlash(address: string): string {
  return address.endsWith("/") ? address : `${address}/`;
}
