import { valid } from "@renovatebot/pep440";
import { truncateToOneLine } from "../fetch/source-text.ts";
import type { PackageVersionFacts, VersionWithdrawal } from "../facts.ts";
import {
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
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { mapInBatches } from "./map-in-batches.ts";
import { assertVersionCountWithinLimit, sortUniqueVersionsInBatches } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

/** Status of a project as its owners or the registry set it (PEP 792). */
export interface PypiProjectStatus {
  readonly status: string;
  readonly reason: string | null;
}

/** What is kept of the simple index. */
export interface PypiSimpleIndex {
  readonly status: PypiProjectStatus | undefined;
  readonly versions: readonly PackageVersionFacts[];
}

/** Files of a version, and how the first of them spells it. */
interface VersionFiles {
  readonly version: string;
  readonly files: PypiReleaseFile[];
}

/** One file of a release. */
export interface PypiReleaseFile {
  readonly uploadedAt: number | null;
  readonly isYanked: boolean;
  readonly reason: string | null;
}

const shape: JsonProjection = {
  members: {
    name: "whole",
    "project-status": "whole",
    versions: "whole",
    files: { each: wholeMembersProjection("filename", "upload-time", "yanked") },
  },
};

export const pypiSimpleIndexParser = createJsonDocumentParser(
  shape,
  async (picked): Promise<PypiSimpleIndex> => {
    const document = asJsonObjectOrEmpty(picked);
    const keyOf = createVersionKeyReader();
    const files = await filesByVersion(
      asNonBlankString(document["name"]) ?? "",
      asJsonObjectElements(document["files"]),
      keyOf,
    );
    const listed = asNonBlankStrings(document["versions"]);
    const versions = listed.length > 0 ? listed : [...files.values()].map(({ version }) => version);
    return {
      status: readPypiProjectStatus(document["project-status"]),
      versions: await sortUniqueVersionsInBatches(
        versionOrderByEcosystem.pypi,
        await mapInBatches(assertVersionCountWithinLimit(versions), (version) =>
          buildPypiVersionFacts(version, files.get(keyOf(version))?.files ?? []),
        ),
      ),
    };
  },
);

/** Returns a function that reads each spelling of a version once. */
function createVersionKeyReader(): (version: string) => string {
  const keys = new Map<string, string>();
  return (version) => {
    const key = keys.get(version) ?? versionOrderByEcosystem.pypi.key(version);
    keys.set(version, key);
    return key;
  };
}

/** The mark is an object; a plain text has been seen in mirrors. */
export function readPypiProjectStatus(value: unknown): PypiProjectStatus | undefined {
  const status = asNonBlankString(value) ?? asNonBlankString(asJsonObjectOrEmpty(value)["status"]);
  if (status === undefined) return undefined;
  return {
    status: status.toLowerCase(),
    reason: truncateToOneLine(asJsonObjectOrEmpty(value)["reason"]) ?? null,
  };
}

/** A version is yanked when all its files are. PyPI still lists one whose files were deleted. */
export function buildPypiVersionFacts(
  version: string,
  files: readonly PypiReleaseFile[],
): PackageVersionFacts {
  const times = files.flatMap(({ uploadedAt }) => (uploadedAt === null ? [] : [uploadedAt]));
  const withdrawal = withdrawalOf(files);
  return {
    version,
    stable: versionOrderByEcosystem.pypi.isStable(version),
    releasedAt: times.length === 0 ? null : times.reduce((first, time) => Math.min(first, time)),
    ...(withdrawal !== undefined && { withdrawal }),
  };
}

function withdrawalOf(files: readonly PypiReleaseFile[]): VersionWithdrawal | undefined {
  if (files.length === 0) return { kind: "removed", reason: null };
  if (!files.every((file) => file.isYanked)) return undefined;
  return {
    kind: "yanked",
    reason: files.find((file) => file.reason !== null)?.reason ?? null,
  };
}

async function filesByVersion(
  name: string,
  files: readonly Readonly<Record<string, unknown>>[],
  keyOf: (version: string) => string,
): Promise<ReadonlyMap<string, VersionFiles>> {
  const byVersion = new Map<string, VersionFiles>();
  await mapInBatches(files, (file) => {
    const version = versionOfFile(name, asNonBlankString(file["filename"]) ?? "");
    if (version === undefined) return;
    const key = keyOf(version);
    const known = byVersion.get(key) ?? { version, files: [] };
    known.files.push({
      uploadedAt: isoDateToEpochMilliseconds(file["upload-time"]) ?? null,
      isYanked: file["yanked"] === true || asNonBlankString(file["yanked"]) !== undefined,
      reason: truncateToOneLine(file["yanked"]) ?? null,
    });
    byVersion.set(key, known);
  });
  return byVersion;
}

/** `name-1.0-py3-none-any.whl`, `name-1.0.tar.gz`; the name may hold dashes in old archives. */
function versionOfFile(name: string, filename: string): string | undefined {
  if (filename.endsWith(".whl")) return filename.split("-")[1];
  const stem = filename.replace(/\.(?:tar\.(?:gz|bz2|xz)|tgz|zip|exe|egg|msi)$/, "");
  if (stem === filename) return undefined;
  const rest = stem.slice(name.length);
  if (!rest.startsWith("-")) return stem.split("-").at(-1);
  // `1.0-1` is a version; behind the version of an egg or installer is its platform.
  return valid(rest.slice(1)) === null ? rest.slice(1).split("-")[0] : rest.slice(1);
}
