import type { PackageInfo } from "../facts.ts";
import type { PackageEolSupport } from "../verdict/verdict.ts";
import { hasEolDatePassed } from "./cycle-verdict.ts";
import { toUtcDay } from "../utc-day.ts";
import type { EolCycle, EolDataset, EolProduct } from "./dataset.ts";
import { getEolDatasetIndex, toPackageUrlKey } from "./dataset-index.ts";
import { findEolCycle } from "./find-cycle.ts";

/**
 * What the dataset says of a package that belongs to one of its products, found
 * by its package URL. One product may have several packages, so that it is the
 * package's own versions that count. Undefined: it belongs to none.
 */
export function findPackageEolSupport(
  dataset: EolDataset,
  known: PackageInfo,
  now: number,
): PackageEolSupport | undefined {
  if (known.purl === null) return undefined;
  const product = getEolDatasetIndex(dataset).byPurl.get(toPackageUrlKey(known.purl));
  if (product === undefined) return undefined;
  const today = toUtcDay(now);
  return {
    label: product.label,
    allEnded: allHaveEnded(product, known, today),
    endedCycle: endedCycle(product, known.version, today),
  };
}

/** A version that is of no cycle has ended only with the whole product. */
function allHaveEnded(product: EolProduct, { versions }: PackageInfo, today: string): boolean {
  const stable = versions.filter((version) => version.stable);
  if (stable.length === 0) return false;
  return (
    product.cycles.every((cycle) => hasEndedByDate(cycle, today)) ||
    stable.every(({ version }) => hasEndedByDate(findEolCycle(product, version), today))
  );
}

function hasEndedByDate(cycle: EolCycle | undefined, today: string): boolean {
  return cycle !== undefined && cycle.end.day !== null && hasEolDatePassed(cycle.end, today);
}

function endedCycle(
  product: EolProduct,
  version: string | null,
  today: string,
): PackageEolSupport["endedCycle"] {
  const cycle = version === null ? undefined : findEolCycle(product, version);
  if (cycle === undefined || !hasEolDatePassed(cycle.end, today)) return undefined;
  return { name: cycle.name, endedOn: cycle.end.day };
}
