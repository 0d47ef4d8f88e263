import { compare, filter, valid } from "@renovatebot/pep440";
import type { PublishedVersions, VersionFacts } from "../facts.ts";

/**
 * The version that pip would install for a specifier today: the highest that fits
 * and was not yanked; a pre-release only where nothing stable fits or the
 * specifier names one. Undefined: nothing fits.
 */
export function choosePypiVersion(
  { versions }: PublishedVersions,
  specifier: string,
): string | undefined {
  const candidates = versions.filter(
    ({ version, withdrawal }) => withdrawal === undefined && valid(version) !== null,
  );
  const names = candidates.map(({ version }) => version);
  // All at once, because the library reads the specifier anew at each call.
  const fittingNames = new Set(filter(names, specifier, { prereleases: true }));
  const fitting = candidates.filter(({ version }) => fittingNames.has(version));
  const stable = fitting.filter((it) => it.stable);
  return namesPrerelease(specifier) || stable.length === 0 ? highest(fitting) : highest(stable);
}

function namesPrerelease(specifier: string): boolean {
  return /\d\.?(a|b|c|rc|alpha|beta|pre|preview|dev)\.?\d*/i.test(specifier);
}

function highest(versions: readonly VersionFacts[]): string | undefined {
  return versions.map(({ version }) => version).toSorted((left, right) => compare(right, left))[0];
}
