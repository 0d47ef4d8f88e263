import { asSourceText, asSourceUrl } from "../fetch/source-text.ts";
import type { VersionFacts } from "../facts.ts";
import { asList, asRecord, asRecords, asText, asTexts, asTime } from "../../platform/json-value.ts";
import { allMembers, type JsonShape } from "../../platform/json-stream/json-shape.ts";
import { formatLicense } from "../fetch/license-text.ts";
import { jsonReader } from "../fetch/read-document.ts";
import { projectStatus, pythonVersion, type PythonFile, type PythonStatus } from "./pypi-simple.ts";
import type { RepositoryLink } from "./registry.ts";
import { boundedVersions, sortVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

/** What is kept of the project's JSON. */
export interface PythonProject {
  /** As its publisher writes it. */
  readonly name: string | undefined;
  readonly versions: readonly VersionFacts[];
  readonly links: readonly RepositoryLink[];
  /** People with a role, and the organisation. */
  readonly maintainersCount: number | null;
  readonly isInactive: boolean;
  readonly status: PythonStatus | undefined;
  /** Of the latest version. */
  readonly license: string | undefined;
}

const shape: JsonShape = {
  members: {
    info: allMembers(
      "name",
      "classifiers",
      "license_expression",
      "license",
      "project_urls",
      "home_page",
      "project-status",
      "project_status",
    ),
    "project-status": "whole",
    project_status: "whole",
    ownership: "whole",
    releases: {
      each: {
        each: allMembers("upload_time_iso_8601", "upload_time", "yanked", "yanked_reason"),
      },
    },
  },
};

export const readProject = jsonReader(shape, (picked): PythonProject => {
  const document = asRecord(picked);
  const info = asRecord(document["info"]);
  const releases = Object.entries(asRecord(document["releases"]));
  return {
    name: asSourceText(info["name"]),
    versions: sortVersions(
      versionOrders.pypi,
      boundedVersions(releases).map(([version, files]) =>
        pythonVersion(version, asRecords(files).map(fileOf)),
      ),
    ),
    links: linksOf(info),
    maintainersCount: maintainersOf(asRecord(document["ownership"])),
    isInactive: asTexts(info["classifiers"]).includes("Development Status :: 7 - Inactive"),
    status: projectStatus(
      document["project-status"] ??
        document["project_status"] ??
        info["project-status"] ??
        info["project_status"],
    ),
    license: licenseOf(info),
  };
});

function fileOf(file: Readonly<Record<string, unknown>>): PythonFile {
  return {
    uploadedAt: asTime(file["upload_time_iso_8601"]) ?? asTime(file["upload_time"]) ?? null,
    isYanked: file["yanked"] === true,
    reason: asSourceText(file["yanked_reason"]) ?? null,
  };
}

/** An expression; else the free text where it is no whole licence; else the classifiers. */
function licenseOf(info: Readonly<Record<string, unknown>>): string | undefined {
  const said = formatLicense(info["license_expression"]) ?? formatLicense(info["license"]);
  const classified = asTexts(info["classifiers"])
    .filter((it) => it.startsWith("License :: "))
    .map((it) => it.slice(it.lastIndexOf(" :: ") + " :: ".length));
  return said ?? formatLicense(classified);
}

function maintainersOf(ownership: Readonly<Record<string, unknown>>): number | null {
  const { roles, organization } = ownership;
  if (!Array.isArray(roles)) return null;
  const people = new Set(asRecords(asList(roles)).map(({ user }) => user));
  return people.size + (asText(organization) === undefined ? 0 : 1);
}

/** Labels are free text; these are what publishers write, the likeliest first. */
const labels = [/repo/i, /^source/i, /code/i, /^git(?:hub|lab)?\b/i, /^home/i, /bug|issue|track/i];

function linksOf(info: Readonly<Record<string, unknown>>): readonly RepositoryLink[] {
  const urls = Object.entries(asRecord(info["project_urls"]));
  const labelled = labels.flatMap((label) =>
    urls.filter(([name]) => label.test(name)).map(([, url]) => url),
  );
  return [...labelled, info["home_page"], ...urls.map(([, url]) => url)]
    .map(asSourceUrl)
    .filter((url) => url !== undefined)
    .map((url) => ({ url, directory: null }));
}
