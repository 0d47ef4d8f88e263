import { filter, valid } from "@renovatebot/pep440";
import type { PublishedVersions, UnresolvedVersion } from "../facts.ts";
import { searchVersionsWithinCheckBudget } from "./try-in-turns.ts";

/** The library parses both versions at each check, which makes a check slow. */
const checksPerTurn = 2500;
const mostChecks = 100_000;
/** For `~=` it makes a specifier of two others at each check. */
const checksOfCompatible = 8;

/**
 * The version that pip would install for a specifier today: the highest that fits
 * and was not yanked; a pre-release only where nothing stable fits or the
 * specifier names one, or an option (`--pre`) has pip take all. Undefined: nothing fits.
 */
export async function resolvePypiVersion(
  { versions }: PublishedVersions,
  specifier: string,
  takesPrereleases = false,
): Promise<string | UnresolvedVersion | undefined> {
  const present = versions.filter(({ withdrawal }) => withdrawal === undefined);
  const takesAny = takesPrereleases || namesPrerelease(specifier);
  let prerelease: string | undefined;
  const budget = {
    conditions: countConditions(specifier),
    perTurn: checksPerTurn,
    most: mostChecks,
  };
  const stable = await searchVersionsWithinCheckBudget(present, budget, (some) => {
    const readable = some.filter(({ version }) => valid(version) !== null);
    const names = readable.map(({ version }) => version);
    // Many at once, because the library parses the specifier at each call.
    const fittingNames = new Set(filter(names, specifier, { prereleases: true }));
    const fitting = readable.filter(({ version }) => fittingNames.has(version));
    prerelease ??= fitting[0]?.version;
    return (takesAny ? fitting[0] : fitting.find((it) => it.stable))?.version;
  });
  return stable ?? prerelease;
}

function countConditions(specifier: string): number {
  const clauses = specifier.split(",");
  return clauses.reduce(
    (count, clause) => count + (clause.includes("~=") ? checksOfCompatible : 1),
    0,
  );
}

/** Whether a clause asks for a pre-release. For pip a clause that excludes one does not. */
function namesPrerelease(specifier: string): boolean {
  return specifier.split(",").some((clause) => !clause.includes("!=") && hasPrerelease(clause));
}

function hasPrerelease(specifier: string): boolean {
  return /\d\.?(a|b|c|rc|alpha|beta|pre|preview|dev)\.?\d*/i.test(specifier);
}
