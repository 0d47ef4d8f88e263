/** What a requirement of Composer allows. */
export interface ComposerConstraint {
  /** Whether it allows a branch, which is fetched from a repository. */
  readonly hasBranch: boolean;
  /** The rest of it; undefined if it allows only branches. */
  readonly releases: string | undefined;
  /** The only release that it allows; undefined if there may be several. */
  readonly version: string | undefined;
}

const exactVersion = /^=?v?(\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?)$/;

/** Reason for a package of a branch. */
export const composerBranchUnparsedReason = "git: a branch";

/**
 * Reads a requirement of Composer. `dev-main`, `1.x-dev`, `dev-a/b#c as 1.2.3` and `1.0.0-dev` are
 * branches. In `1.2.3 as 1.3.0` the first version is the one that is installed.
 */
export function parseComposerConstraint(requested: string): ComposerConstraint {
  const alternatives = requested.split("|").map((each) => each.trim());
  const releases = alternatives.filter((each) => each !== "" && !isBranchRequirement(each));
  const hasBranch = alternatives.some(isBranchRequirement);
  const [only = "", ...others] = releases;
  const [, version] = exactVersion.exec(wordsOf(only).join(" ")) ?? [];
  return {
    hasBranch,
    releases: hasBranch ? releases.join(" || ") || undefined : requested,
    version: others.length === 0 ? version : undefined,
  };
}

/** Whether an installed version is a branch. */
export function isComposerBranchVersion(version: string): boolean {
  return /^dev-|^[^<>!^~].*[.-]dev$/i.test(version.trim());
}

/** A version behind a sign such as `>=` is the end of a range, also with `-dev`. */
function isBranchRequirement(text: string): boolean {
  return wordsOf(text).some((word) => isComposerBranchVersion(word.replace(/^={1,2}/, "")));
}

/** The words of a requirement without its alias, each without a commit and a stability. */
function wordsOf(text: string): readonly string[] {
  const [requirement = ""] = text.split(/\sas\s/i, 1);
  return requirement
    .trim()
    .split(/[\s,]+/)
    .map((word) => word.split(/[#@]/, 1).join());
}
