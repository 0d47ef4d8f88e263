import { truncateToOneLine, asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import { assertVersionCountWithinLimit } from "./sort-versions.ts";
import type { PackageDeprecationNotice, PackageVersionFacts } from "../facts.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  isoDateToEpochMilliseconds,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  wholeMembersProjection,
  type JsonProjection,
} from "../../platform/json-stream/json-shape.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { createJsonDocumentParser, createTextDocumentParser } from "../fetch/read-document.ts";
import { versionOrderByEcosystem } from "./version-order.ts";
import { parseXmlRootElement } from "./xml.ts";

/** Addresses that the service index gives, each with a slash at its end but the search. */
export interface NugetServiceIndex {
  readonly registrations: string;
  readonly search: string | null;
  readonly contents: string | null;
}

/** Versions of a package, or of a page of it. */
export interface NugetVersions {
  /** As the publisher spells it. */
  readonly id: string | null;
  readonly versions: readonly PackageVersionFacts[];
  /** Of the newest version that has one. */
  readonly projectUrl: string | null;
  /** Addresses of pages that are not in the document; they may be relative to it. */
  readonly pages: readonly string[];
}

const leaf = {
  members: {
    catalogEntry: wholeMembersProjection(
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

const pageShape: JsonProjection = {
  members: { "@id": "whole", count: "whole", items: { each: leaf } },
};

export const nugetServiceIndexParser = createJsonDocumentParser(
  { members: { resources: { each: wholeMembersProjection("@id", "@type") } } },
  (picked): NugetServiceIndex => {
    const resources = asJsonObjectElements(asJsonObjectOrEmpty(picked)["resources"]);
    const find = (pattern: RegExp): string | null =>
      resources.flatMap((it) =>
        typesOf(it).some((type) => pattern.test(type)) ? (asNonBlankString(it["@id"]) ?? []) : [],
      )[0] ?? null;
    const registrations =
      find(/^RegistrationsBaseUrl\/3\.6\.0$/) ??
      find(/^RegistrationsBaseUrl\/Versioned$/) ??
      find(/^RegistrationsBaseUrl/);
    if (registrations === null) throw new DataSourceDocumentError("unreadable");
    const contents = find(/^PackageBaseAddress\/3/);
    return {
      registrations: withSlash(registrations),
      search: find(/^SearchQueryService/),
      contents: contents === null ? null : withSlash(contents),
    };
  },
);

/** The index of a package: pages, small ones with their versions in it. */
export const nugetRegistrationParser = createJsonDocumentParser(
  { members: { items: { each: pageShape } } },
  (picked): NugetVersions => {
    const pages = asJsonObjectElements(asJsonObjectOrEmpty(picked)["items"]);
    const entries = pages.filter(({ items }) => Array.isArray(items)).flatMap(leavesOf);
    const distant = pages.filter(({ items }) => !Array.isArray(items));
    return { ...nugetVersions(entries), pages: distant.map(pageAddress) };
  },
);

export const nugetRegistrationPageParser = createJsonDocumentParser(
  pageShape,
  (picked): NugetVersions => nugetVersions(leavesOf(asJsonObjectOrEmpty(picked))),
);

/** Versions of a page. A page with fewer of them than it counts is cut. */
function leavesOf({ items, count }: JsonObject): readonly JsonObject[] {
  const leaves = asArrayOrEmpty(items).map(asJsonObjectOrEmpty);
  if (typeof count === "number" && leaves.length < count) {
    throw new DataSourceDocumentError("unreadable");
  }
  return leaves;
}

function pageAddress(page: JsonObject): string {
  const address = asNonBlankString(page["@id"]);
  if (address === undefined) throw new DataSourceDocumentError("unreadable");
  return address;
}

/** Number of a package's owners; null when the search does not find it. */
export function createNugetOwnerCountParser(id: string) {
  return createJsonDocumentParser(
    { members: { data: { each: wholeMembersProjection("id", "owners") } } },
    (picked) => {
      const found = asJsonObjectElements(asJsonObjectOrEmpty(picked)["data"]).find(
        (entry) => asNonBlankString(entry["id"])?.toLowerCase() === id,
      );
      if (found === undefined) throw new DataSourceDocumentError("unreadable");
      const { owners } = found;
      return asNonBlankString(owners) === undefined ? asArrayOrEmpty(owners).length : 1;
    },
  );
}

/** Address of the repository that a manifest names. */
export const nuspecRepositoryParser = createTextDocumentParser((text): string | null => {
  const metadata = asJsonObjectOrEmpty(parseXmlRootElement(text, "package")["metadata"]);
  return asUrlWithinLengthLimit(asJsonObjectOrEmpty(metadata["repository"])["@url"]) ?? null;
});

function nugetVersions(leaves: readonly JsonObject[]): NugetVersions {
  const entries = leaves.map(({ catalogEntry }) => asJsonObjectOrEmpty(catalogEntry));
  const newest = entries.toReversed();
  const ownId = newest.flatMap(({ id }) => truncateToOneLine(id) ?? [])[0] ?? null;
  return {
    id: ownId,
    versions: assertVersionCountWithinLimit(entries.map((entry) => versionOf(entry, ownId))),
    projectUrl:
      newest.flatMap(({ projectUrl }) => asUrlWithinLengthLimit(projectUrl) ?? [])[0] ?? null,
    pages: [],
  };
}

function versionOf(entry: JsonObject, newestId: string | null): PackageVersionFacts {
  const version = asNonBlankString(entry["version"]);
  if (version === undefined) throw new DataSourceDocumentError("unreadable");
  const deprecation = deprecationOf(entry["deprecation"]);
  const withdrawal = { kind: "unlisted" as const, reason: null };
  const license = readLicenseName(entry["licenseExpression"]);
  const id = truncateToOneLine(entry["id"]);
  return {
    version,
    stable: versionOrderByEcosystem.nuget.isStable(version),
    // Unlisted versions are dated 1900, which is no date.
    releasedAt: isoDateToEpochMilliseconds(entry["published"]) ?? null,
    ...(deprecation !== undefined && { deprecation }),
    ...(entry["listed"] === false && { withdrawal }),
    ...(license !== undefined && { license }),
    ...(id !== undefined && id !== newestId && { publishedAs: id }),
  };
}

/** Reasons are words of a fixed set, `Legacy` for instance; a message is optional. */
function deprecationOf(value: unknown): PackageDeprecationNotice | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { reasons, message, alternatePackage } = asJsonObjectOrEmpty(value);
  const alternative = truncateToOneLine(asJsonObjectOrEmpty(alternatePackage)["id"]);
  const words = (typeof reasons === "string" ? [reasons] : asNonBlankStrings(reasons)).join(", ");
  return {
    message: truncateToOneLine(message) ?? truncateToOneLine(words) ?? null,
    ...(alternative !== undefined && { alternative }),
  };
}

function typesOf(resource: JsonObject): readonly string[] {
  const type = resource["@type"];
  return typeof type === "string" ? [type] : asNonBlankStrings(type);
}

function withSlash(address: string): string {
  return address.endsWith("/") ? address : `${address}/`;
}
