/** What a requirement of Composer allows. */
export interface ComposerConstraint {
  /** Whether it allows a branch, which is fetched from a repository. */
  readonly hasBranch: boolean;
  /** The rest of it; undefined if it allows only branches. */
  readonly releases: string | undefined;
  /** The only release that it allows; undefined if there may be several. */
  readonly version: string | undefined;
}

/** Reason for a package of a branch. */
export const branchReason = "git: a branch";

/**
 * Reads a requirement of Composer. `dev-main`, `1.x-dev`, `dev-a/b#c as 1.2.3` and `1.0.0-dev` are
 * branches. In `1.2.3 as 1.3.0` the first version is the one that is installed.
 */
export function readComposerConstraint(requested: string): ComposerConstraint {
  const alternatives = requested.split("|").map((each) => each.trim());
  const releases = alternatives.filter((each) => each !== "" && !isBranchRequirement(each));
  const hasBranch = alternatives.some(isBranchRequirement);
  const [only = "", ...others] = releases;
  const plain = withoutSuffixes(only);
  const [, version] = /^=?v?(\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?)$/.exec(plain) ?? [];
  return {
    hasBranch,
    releases: hasBranch ? releases.join(" || ") || undefined : requested,
    version: others.length === 0 ? version : undefined,
  };
}

/** Whether an installed version is a branch. */
export function isBranch(version: string): boolean {
  return /^dev-|[.-]dev$/i.test(version.trim());
}

/** A version behind a sign such as `>=` is the end of a range, also with `-dev`. */
function isBranchRequirement(text: string): boolean {
  const words = withoutSuffixes(text).split(/[\s,]+/);
  return words.some((word) => isBranch(word.replace(/^={1,2}/, "")) && !/^[<>!^~]/.test(word));
}

/** Takes off an alias, a commit and a stability. */
function withoutSuffixes(text: string): string {
  const [first = ""] = text.split(/\sas\s/i, 1);
  return first
    .trim()
    .replace(/[#@][^\s,]*$/, "")
    .replace(/@[a-z]{1,10}$/i, "");
}
