import { truncateToOneLine, asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import { assertVersionCountWithinLimit } from "./sort-versions.ts";
import { asJsonObjectOrEmpty } from "../../platform/json-value.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { createTextDocumentParser } from "../fetch/read-document.ts";
import { parseXmlRootElement, readXmlElementText } from "./xml.ts";

/** Coordinates of a project. */
export interface MavenCoordinates {
  readonly group: string;
  readonly artifact: string;
}

/** What is kept of an artifact's list of versions. */
export interface MavenMetadata {
  readonly versions: readonly string[];
  /** When the list was last written, which is when something was last released. */
  readonly updatedAt: number | null;
}

/** What is kept of a project's description. */
export interface MavenPom {
  /** Date of the file. */
  readonly releasedAt: number | null;
  readonly links: readonly string[];
  readonly parent: (MavenCoordinates & { readonly version: string }) | undefined;
  /** Where the project went; a missing part is as before. */
  readonly relocation:
    | (Partial<MavenCoordinates> & { readonly message: string | null })
    | undefined;
  /** Names of its licences. */
  readonly license: string | undefined;
}

export const mavenMetadataParser = createTextDocumentParser((text): MavenMetadata => {
  const versioning = asJsonObjectOrEmpty(parseXmlRootElement(text, "metadata")["versioning"]);
  const listed = asJsonObjectOrEmpty(versioning["versions"])["version"];
  const versions = (Array.isArray(listed) ? listed : [listed]).flatMap(
    (it) => readXmlElementText(it) ?? [],
  );
  const latest = [versioning["release"], versioning["latest"]].flatMap(
    (it) => readXmlElementText(it) ?? [],
  );
  return {
    versions: assertVersionCountWithinLimit(versions.length > 0 ? versions : latest.slice(0, 1)),
    updatedAt: compactTime(readXmlElementText(versioning["lastUpdated"])),
  };
});

export const mavenPomParser = createTextDocumentParser((text, headers): MavenPom => {
  const project = parseXmlRootElement(text, "project");
  const scm = asJsonObjectOrEmpty(project["scm"]);
  const urls = [scm["url"], scm["connection"], scm["developerConnection"], project["url"]];
  return {
    releasedAt: headerTime(headers["last-modified"]),
    links: urls.flatMap((url) => asUrlWithinLengthLimit(readXmlElementText(url)) ?? []),
    parent: parentOf(asJsonObjectOrEmpty(project["parent"])),
    relocation: relocationOf(asJsonObjectOrEmpty(project["distributionManagement"])["relocation"]),
    license: licenseOf(asJsonObjectOrEmpty(project["licenses"])["license"]),
  };
});

/** One element, or several of them. */
function licenseOf(value: unknown): string | undefined {
  const licenses = Array.isArray(value) ? value : [value];
  return readLicenseName(
    licenses.flatMap((it) => readXmlElementText(asJsonObjectOrEmpty(it)["name"]) ?? []),
  );
}

function parentOf(parent: Readonly<Record<string, unknown>>): MavenPom["parent"] {
  const group = readXmlElementText(parent["groupId"]);
  const artifact = readXmlElementText(parent["artifactId"]);
  const version = readXmlElementText(parent["version"]);
  if (group === undefined || artifact === undefined || version === undefined) return undefined;
  return { group, artifact, version };
}

function relocationOf(value: unknown): MavenPom["relocation"] {
  if (value === undefined) return undefined;
  const relocation = asJsonObjectOrEmpty(value);
  const group = truncateToOneLine(readXmlElementText(relocation["groupId"]));
  const artifact = truncateToOneLine(readXmlElementText(relocation["artifactId"]));
  return {
    ...(group !== undefined && { group }),
    ...(artifact !== undefined && { artifact }),
    message: truncateToOneLine(readXmlElementText(relocation["message"])) ?? null,
  };
}

/** `20260131235959` */
function compactTime(text: string | undefined): number | null {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(text ?? "") ?? [];
  if (parts.length === 0) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function headerTime(value: string | string[] | undefined): number | null {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
