import semver from "semver";

/**
 * The version that NuGet takes for a reference: the lowest that is allowed, so
 * that `1.0` and `[1.0,2.0)` are 1.0. Undefined: it depends on what is published
 * (`1.*`, `(1.0,2.0)`).
 */
export function findNugetMinimumVersion(requested: string): string | undefined {
  const [, inRange] = /^\[\s*([^,\])\s]+)\s*(?:,.*)?[\])]$/.exec(requested) ?? [];
  const version = inRange ?? requested;
  return plainVersion.test(version) ? version : undefined;
}

const plainVersion = /^\d[\w.+-]*$/;

/** Whether a version is in a range of NuGet: `1.0` is 1.0 or later. True for a range that is not read (`1.*`). */
export function isInNugetVersionRange(version: string, range: string): boolean {
  const text = range.trim();
  const isBare = !/^[[(]/.test(text);
  const [from = "", to = isBare ? "" : from] = (isBare ? text : text.slice(1, -1))
    .split(",")
    .map((bound) => bound.trim());
  if (![version, from, to].every((each) => each === "" || plainVersion.test(each))) return true;
  const above = from === "" ? 1 : compareVersions(version, from);
  const below = to === "" ? -1 : compareVersions(version, to);
  return (
    (text.startsWith("(") ? above > 0 : above >= 0) && (text.endsWith(")") ? below < 0 : below <= 0)
  );
}

function compareVersions(left: string, right: string): number {
  const [one, other] = [versionParts(left), versionParts(right)];
  const difference = one.numbers
    .map((number, at) => number - (other.numbers[at] ?? 0))
    .find((each) => each !== 0);
  if (difference !== undefined) return difference;
  const [first, second] = [`0.0.0${one.rest}`, `0.0.0${other.rest}`];
  return semver.valid(first) && semver.valid(second) ? semver.compare(first, second) : 0;
}

/** A version has up to four numbers, and what follows them is as in semantic versions. */
function versionParts(version: string) {
  const [numbers = ""] = /^[\d.]+/.exec(version) ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = numbers.split(".").map(Number);
  return { numbers: [a, b, c, d], rest: version.slice(numbers.length) };
}
