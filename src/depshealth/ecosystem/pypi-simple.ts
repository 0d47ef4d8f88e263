import { asSourceText } from "../fetch/source-text.ts";
import type { VersionFacts } from "../facts.ts";
import { asRecord, asRecords, asText, asTexts, asTime } from "../../platform/json-value.ts";
import { allMembers, type JsonShape } from "../../platform/json-stream/json-shape.ts";
import { jsonReader } from "../fetch/read-document.ts";
import { boundedVersions, sortVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

/** Status of a project as its owners or the registry set it (PEP 792). */
export interface PythonStatus {
  readonly status: string;
  readonly reason: string | null;
}

/** What is kept of the simple index. */
export interface PythonIndex {
  readonly status: PythonStatus | undefined;
  readonly versions: readonly VersionFacts[];
}

/** Files of a version, and how the first of them spells it. */
interface VersionFiles {
  readonly version: string;
  readonly files: PythonFile[];
}

/** One file of a release. */
export interface PythonFile {
  readonly uploadedAt: number | null;
  readonly isYanked: boolean;
  readonly reason: string | null;
}

const shape: JsonShape = {
  members: {
    name: "whole",
    "project-status": "whole",
    versions: "whole",
    files: { each: allMembers("filename", "upload-time", "yanked") },
  },
};

export const readSimpleIndex = jsonReader(shape, (picked): PythonIndex => {
  const document = asRecord(picked);
  const files = filesByVersion(asText(document["name"]) ?? "", asRecords(document["files"]));
  const listed = asTexts(document["versions"]);
  const versions = listed.length > 0 ? listed : [...files.values()].map(({ version }) => version);
  return {
    status: projectStatus(document["project-status"]),
    versions: sortVersions(
      versionOrders.pypi,
      boundedVersions(versions).map((version) =>
        pythonVersion(version, files.get(versionOrders.pypi.key(version))?.files ?? []),
      ),
    ),
  };
});

/** The mark is an object; a plain text has been seen in mirrors. */
export function projectStatus(value: unknown): PythonStatus | undefined {
  const status = asText(value) ?? asText(asRecord(value)["status"]);
  if (status === undefined) return undefined;
  return { status: status.toLowerCase(), reason: asSourceText(asRecord(value)["reason"]) ?? null };
}

/** A version is yanked when all its files are. */
export function pythonVersion(version: string, files: readonly PythonFile[]): VersionFacts {
  const times = files.flatMap(({ uploadedAt }) => (uploadedAt === null ? [] : [uploadedAt]));
  const isYanked = files.length > 0 && files.every((file) => file.isYanked);
  const reason = files.find((file) => file.reason !== null)?.reason ?? null;
  return {
    version,
    stable: versionOrders.pypi.isStable(version),
    releasedAt: times.length === 0 ? null : times.reduce((first, time) => Math.min(first, time)),
    ...(isYanked && { withdrawal: { kind: "yanked" as const, reason } }),
  };
}

function filesByVersion(
  name: string,
  files: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<string, VersionFiles> {
  const byVersion = new Map<string, VersionFiles>();
  for (const file of files) {
    const version = versionOfFile(name, asText(file["filename"]) ?? "");
    if (version === undefined) continue;
    const key = versionOrders.pypi.key(version);
    const known = byVersion.get(key) ?? { version, files: [] };
    known.files.push({
      uploadedAt: asTime(file["upload-time"]) ?? null,
      isYanked: file["yanked"] === true || asText(file["yanked"]) !== undefined,
      reason: asSourceText(file["yanked"]) ?? null,
    });
    byVersion.set(key, known);
  }
  return byVersion;
}

/** `name-1.0-py3-none-any.whl`, `name-1.0.tar.gz`; the name may hold dashes in old archives. */
function versionOfFile(name: string, filename: string): string | undefined {
  if (filename.endsWith(".whl")) return filename.split("-")[1];
  const stem = filename.replace(/\.(?:tar\.(?:gz|bz2|xz)|tgz|zip|exe|egg|msi)$/, "");
  if (stem === filename) return undefined;
  const rest = stem.slice(name.length);
  return rest.startsWith("-") ? rest.slice(1).split("-")[0] : stem.split("-").at(-1);
}
