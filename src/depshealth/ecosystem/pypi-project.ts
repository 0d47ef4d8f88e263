import { truncateToOneLine, asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import type { PackageVersionFacts } from "../facts.ts";
import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  isoDateToEpochMilliseconds,
} from "../../platform/json-value.ts";
import {
  wholeMembersProjection,
  type JsonProjection,
} from "../../platform/json-stream/json-shape.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import {
  readPypiProjectStatus,
  buildPypiVersionFacts,
  type PypiReleaseFile,
  type PypiProjectStatus,
} from "./pypi-simple.ts";
import type { PackageRepositoryLink } from "./registry.ts";
import { mapInBatches } from "./map-in-batches.ts";
import { assertVersionCountWithinLimit, sortUniqueVersionsInBatches } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

/** What is kept of the project's JSON. */
export interface PypiProject {
  /** As its publisher writes it. */
  readonly name: string | undefined;
  readonly versions: readonly PackageVersionFacts[];
  readonly links: readonly PackageRepositoryLink[];
  /** People with a role, and the organisation. */
  readonly maintainersCount: number | null;
  readonly isInactive: boolean;
  readonly status: PypiProjectStatus | undefined;
  /** Of the latest version. */
  readonly license: string | undefined;
}

const shape: JsonProjection = {
  members: {
    info: wholeMembersProjection(
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
        each: wholeMembersProjection(
          "upload_time_iso_8601",
          "upload_time",
          "yanked",
          "yanked_reason",
        ),
      },
    },
  },
};

export const pypiProjectParser = createJsonDocumentParser(
  shape,
  async (picked): Promise<PypiProject> => {
    const document = asJsonObjectOrEmpty(picked);
    const info = asJsonObjectOrEmpty(document["info"]);
    const releases = Object.entries(asJsonObjectOrEmpty(document["releases"]));
    return {
      name: truncateToOneLine(info["name"]),
      versions: await sortUniqueVersionsInBatches(
        versionOrderByEcosystem.pypi,
        await mapInBatches(assertVersionCountWithinLimit(releases), ([version, files]) =>
          buildPypiVersionFacts(version, asJsonObjectElements(files).map(fileOf)),
        ),
      ),
      links: linksOf(info),
      maintainersCount: maintainersOf(asJsonObjectOrEmpty(document["ownership"])),
      isInactive: asNonBlankStrings(info["classifiers"]).includes(
        "Development Status :: 7 - Inactive",
      ),
      status: readPypiProjectStatus(
        document["project-status"] ??
          document["project_status"] ??
          info["project-status"] ??
          info["project_status"],
      ),
      license: licenseOf(info),
    };
  },
);

function fileOf(file: Readonly<Record<string, unknown>>): PypiReleaseFile {
  return {
    uploadedAt:
      isoDateToEpochMilliseconds(file["upload_time_iso_8601"]) ??
      isoDateToEpochMilliseconds(file["upload_time"]) ??
      null,
    isYanked: file["yanked"] === true,
    reason: truncateToOneLine(file["yanked_reason"]) ?? null,
  };
}

/** An expression; else the free text where it is no whole licence; else the classifiers. */
function licenseOf(info: Readonly<Record<string, unknown>>): string | undefined {
  const said = readLicenseName(info["license_expression"]) ?? readLicenseName(info["license"]);
  const classified = asNonBlankStrings(info["classifiers"])
    .filter((it) => it.startsWith("License :: "))
    .map((it) => it.slice(it.lastIndexOf(" :: ") + " :: ".length));
  return said ?? readLicenseName(classified);
}

function maintainersOf(ownership: Readonly<Record<string, unknown>>): number | null {
  const { roles, organization } = ownership;
  if (!Array.isArray(roles)) return null;
  const people = new Set(asJsonObjectElements(asArrayOrEmpty(roles)).map(({ user }) => user));
  return people.size + (asNonBlankString(organization) === undefined ? 0 : 1);
}

/** Labels are free text; these are what publishers write, the likeliest first. */
const labels = [/repo/i, /^source/i, /code/i, /^git(?:hub|lab)?\b/i, /^home/i, /bug|issue|track/i];

function linksOf(info: Readonly<Record<string, unknown>>): readonly PackageRepositoryLink[] {
  const urls = Object.entries(asJsonObjectOrEmpty(info["project_urls"]));
  const labelled = labels.flatMap((label) =>
    urls.filter(([name]) => label.test(name)).map(([, url]) => url),
  );
  return [...labelled, info["home_page"], ...urls.map(([, url]) => url)]
    .map(asUrlWithinLengthLimit)
    .filter((url) => url !== undefined)
    .map((url) => ({ url, directory: null }));
}
