import { setImmediate as nextTurn } from "node:timers/promises";
import type { UnresolvedVersion } from "../facts.ts";

/** How much a range may cost, in checks: one condition of it that is held against one version. */
interface CheckBudget {
  /** Conditions of the range. */
  readonly conditions: number;
  readonly perTurn: number;
  readonly most: number;
}

/**
 * Gives versions to `tryVersions` in their order, as many in each turn of the event loop as the
 * budget has checks for, until it returns something else than undefined. A range that needs more
 * checks than there may be is left undecided.
 */
export async function searchVersionsWithinCheckBudget<Version>(
  versions: readonly Version[],
  { conditions, perTurn, most }: CheckBudget,
  tryVersions: (some: readonly Version[]) => string | undefined,
): Promise<string | UnresolvedVersion | undefined> {
  const atOnce = Math.max(1, Math.floor(perTurn / conditions));
  const enough = Math.max(1, Math.floor(most / conditions));
  for (let start = 0; start < versions.length; start += atOnce) {
    if (start >= enough) return undecided(versions.length);
    if (start > 0) await nextTurn();
    const found = tryVersions(versions.slice(start, start + atOnce));
    if (found !== undefined) return found;
  }
  return undefined;
}

function undecided(versions: number): UnresolvedVersion {
  return {
    undecided: `its range has too many conditions for ${versions} versions; ask for a version or a shorter range`,
  };
}
