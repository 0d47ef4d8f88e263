import { firstReleaseDays, isNew } from "./ages.ts";
import { meantPackage } from "./meant-package.ts";
import { versionNamed } from "./registry-rules.ts";
import type { Case, Reason } from "./verdict.ts";

/** Qualifier: nothing of it was there a month ago, as with names that somebody has just taken. */
export function newPackage(it: Case): Reason | undefined {
  const days = firstReleaseDays(it);
  if (days === undefined || !isNew(it)) return undefined;
  return { code: "new_package", message: `Its first release is ${days} days old.` };
}

/** Qualifier: whoever installs it runs what it brings. */
export function installScript({ known }: Case): Reason | undefined {
  if (versionNamed(known, known.version)?.installScript !== true) return undefined;
  return {
    code: "install_script",
    message: `${known.name} ${known.version ?? ""} runs a script of its own when it is installed.`,
  };
}

/** Qualifier: a package that is much used has almost that name, or has it elsewhere. */
export function didYouMean(it: Case): Reason | undefined {
  const meant = meantPackage(it);
  if (meant === undefined) return undefined;
  const where = meant.ecosystem === it.known.ecosystem ? "" : ` of ${meant.ecosystem}`;
  return { code: "did_you_mean", message: `\`${meant.name}\`${where} may be meant.` };
}
