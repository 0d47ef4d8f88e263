import { asSourceText, asSourceUrl } from "../fetch/source-text.ts";
import { boundedVersions } from "./sort-versions.ts";
import { asRecord } from "../../platform/json-value.ts";
import { formatLicense } from "../fetch/license-text.ts";
import { textReader } from "../fetch/read-document.ts";
import { xmlRoot, xmlText } from "./xml.ts";

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

export const readMetadata = textReader((text): MavenMetadata => {
  const versioning = asRecord(xmlRoot(text, "metadata")["versioning"]);
  const listed = asRecord(versioning["versions"])["version"];
  const versions = (Array.isArray(listed) ? listed : [listed]).flatMap((it) => xmlText(it) ?? []);
  const latest = [versioning["release"], versioning["latest"]].flatMap((it) => xmlText(it) ?? []);
  return {
    versions: boundedVersions(versions.length > 0 ? versions : latest.slice(0, 1)),
    updatedAt: compactTime(xmlText(versioning["lastUpdated"])),
  };
});

export const readMavenPom = textReader((text, headers): MavenPom => {
  const project = xmlRoot(text, "project");
  const scm = asRecord(project["scm"]);
  const urls = [scm["url"], scm["connection"], scm["developerConnection"], project["url"]];
  return {
    releasedAt: headerTime(headers["last-modified"]),
    links: urls.flatMap((url) => asSourceUrl(xmlText(url)) ?? []),
    parent: parentOf(asRecord(project["parent"])),
    relocation: relocationOf(asRecord(project["distributionManagement"])["relocation"]),
    license: licenseOf(asRecord(project["licenses"])["license"]),
  };
});

/** One element, or several of them. */
function licenseOf(value: unknown): string | undefined {
  const licenses = Array.isArray(value) ? value : [value];
  return formatLicense(licenses.flatMap((it) => xmlText(asRecord(it)["name"]) ?? []));
}

function parentOf(parent: Readonly<Record<string, unknown>>): MavenPom["parent"] {
  const group = xmlText(parent["groupId"]);
  const artifact = xmlText(parent["artifactId"]);
  const version = xmlText(parent["version"]);
  if (group === undefined || artifact === undefined || version === undefined) return undefined;
  return { group, artifact, version };
}

function relocationOf(value: unknown): MavenPom["relocation"] {
  if (value === undefined) return undefined;
  const relocation = asRecord(value);
  const group = asSourceText(xmlText(relocation["groupId"]));
  const artifact = asSourceText(xmlText(relocation["artifactId"]));
  return {
    ...(group !== undefined && { group }),
    ...(artifact !== undefined && { artifact }),
    message: asSourceText(xmlText(relocation["message"])) ?? null,
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
