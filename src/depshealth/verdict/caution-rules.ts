import { countDaysSinceFirstRelease, isNewPackage } from "./ages.ts";
import { findLikelyIntendedPackage } from "./suggested-package.ts";
import { findPackageVersionFacts } from "./registry-rules.ts";
import type { MaintenanceVerdictInput, VerdictReason } from "./verdict.ts";

/** Qualifier: nothing of it was there a month ago, as with names that somebody has just taken. */
export function findNewPackageReason(it: MaintenanceVerdictInput): VerdictReason | undefined {
  const days = countDaysSinceFirstRelease(it);
  if (days === undefined || !isNewPackage(it)) return undefined;
  return { code: "new_package", message: `Its first release is ${days} days old.` };
}

/** Qualifier: whoever installs it runs what it brings. */
export function findInstallScriptReason({
  info: known,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  if (findPackageVersionFacts(known, known.version)?.installScript !== true) return undefined;
  return {
    code: "install_script",
    message: `${known.name} ${known.version ?? ""} runs a script of its own when it is installed.`,
  };
}

/** Qualifier: a package that is much used has almost that name, or has it elsewhere. */
export function findDidYouMeanReason(it: MaintenanceVerdictInput): VerdictReason | undefined {
  const meant = findLikelyIntendedPackage(it);
  if (meant === undefined) return undefined;
  const where = meant.ecosystem === it.info.ecosystem ? "" : ` of ${meant.ecosystem}`;
  return { code: "did_you_mean", message: `\`${meant.name}\`${where} may be meant.` };
}
