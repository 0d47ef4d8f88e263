import { versionOrderByEcosystem } from "../ecosystem/version-order.ts";
import type { Ecosystem, PackageInfo } from "../facts.ts";
import type { RequestedAuditPackage } from "./plan-audit.ts";

/** The first number of a version that a step changes. */
export type VersionBump = "major" | "minor" | "patch";

/** What changes from one version to another; undefined: nothing, or one is not known. */
export function classifyVersionBump(
  ecosystem: Ecosystem,
  from: string | null,
  to: string | null,
): VersionBump | undefined {
  if (from === null || to === null || versionOrderByEcosystem[ecosystem].compare(from, to) === 0) {
    return undefined;
  }
  const [left, right] = [numbersOf(from), numbersOf(to)];
  const changed = (index: number) => (left[index] ?? 0) !== (right[index] ?? 0);
  if (epochOf(from) !== epochOf(to) || changed(0)) return "major";
  return changed(1) ? "minor" : "patch";
}

/**
 * The newest version that was asked for: of a range, a tag or none the assessed
 * one, of an exact version the newest of its line. Undefined: none is known.
 */
export function findNewestCompatibleVersion(
  { reference }: RequestedAuditPackage,
  known: PackageInfo,
): string | null | undefined {
  const { version, versions, ecosystem, versionFound } = known;
  if (reference.version === undefined || version === null) return version;
  const { compare } = versionOrderByEcosystem[ecosystem];
  const newest = versions.find(
    (it) =>
      it.stable &&
      it.withdrawal === undefined &&
      it.deprecation === undefined &&
      isSameLine(it.version, version) &&
      compare(it.version, version) > 0,
  );
  return newest?.version ?? (versionFound === true ? version : undefined);
}

/** Of 0.x the second number says what breaks. */
function isSameLine(left: string, right: string): boolean {
  const [one, other] = [numbersOf(left), numbersOf(right)];
  if (epochOf(left) !== epochOf(right) || one[0] !== other[0]) return false;
  return one[0] !== 0 || (one[1] ?? 0) === (other[1] ?? 0);
}

/** `1.2.3` of `v1.2.3-rc.1`, `1!1.2.3` and `1.2.3.Final`. */
function numbersOf(version: string): readonly number[] {
  const numbers = /^v?(?:\d+!)?(\d+(?:\.\d+)*)/i.exec(version.trim())?.[1];
  return numbers?.split(".").map(Number) ?? [];
}

/** Python's `1!`: all versions of an epoch are above those of the one before. */
function epochOf(version: string): string {
  return /^v?(\d+)!/.exec(version.trim())?.[1] ?? "0";
}
