import type { PackageInfo } from "../facts.ts";
import { findPackageVersionFacts } from "../verdict/registry-rules.ts";
import type { MaintenanceVerdictResult } from "../verdict/verdict.ts";
import { findLowestFixedVersion } from "./lowest-fixed-version.ts";
import { isVersionOlderThanLatest } from "./describe-version.ts";

/** What can be installed: a package, and the exact version of it. */
export interface PackageVersionToInstall {
  readonly name: string;
  readonly version: string;
}

interface Judged {
  readonly info: PackageInfo;
  readonly verdict: MaintenanceVerdictResult;
}

/**
 * What to install instead of the assessed version: a version of the same package
 * where only this one is the fault, else what took its place. Undefined: nothing
 * speaks against it, or nothing better is known.
 */
export function findBetterInstallTarget({
  info: known,
  verdict: judgement,
}: Judged): PackageVersionToInstall | undefined {
  const { replacement, reasons, verdict } = judgement;
  const [{ code }] = reasons;
  const own = (version: string | null | undefined) => targetOf(known.name, version);
  if (code === "version_not_found") return own(healthyLatest(known));
  if (code === "deprecated_version")
    return own(isVersionOlderThanLatest(known) ? healthyLatest(known) : null);
  if (verdict === "deprecated" || verdict === "archived" || known.existence === "not_found") {
    return targetOf(replacement?.name, replacement?.version) ?? own(fixedVersion(known));
  }
  return own(fixedVersion(known));
}

/** The version in which the assessed one's flaws are fixed, or the next one of a version that was taken back. */
function fixedVersion(known: PackageInfo): string | null | undefined {
  const hasFlaws = known.advisories !== null && known.advisories.length > 0;
  if (hasFlaws) return findLowestFixedVersion(known);
  const isTakenBack = findPackageVersionFacts(known, known.version)?.withdrawal !== undefined;
  return isTakenBack && known.latestVersion !== known.version ? healthyLatest(known) : undefined;
}

/** The latest, unless it was taken back itself. */
function healthyLatest(known: PackageInfo): string | null {
  const facts = findPackageVersionFacts(known, known.latestVersion);
  const isSound = facts?.withdrawal === undefined && facts?.deprecation === undefined;
  return isSound ? known.latestVersion : null;
}

function targetOf(
  name: string | undefined,
  version: string | null | undefined,
): PackageVersionToInstall | undefined {
  if (name === undefined || version === undefined || version === null) return undefined;
  return { name, version };
}
