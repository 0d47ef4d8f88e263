import { toUtcDay } from "../utc-day.ts";
import type { LoadedEolDataset } from "./dataset.ts";

const dayMs = 86_400_000;

/** Says how old the data is: `The data is of 2026-08-22, 90 days old.` */
export function describeEolDatasetAge(
  { observedAt, isShipped }: LoadedEolDataset,
  now: number,
): string {
  const age = `The data is of ${toUtcDay(observedAt)}, ${daysBetween(observedAt, now)} old`;
  return isShipped
    ? `${age}: it came with this version of Causeway, and no newer copy is at hand.`
    : `${age}.`;
}

/** Whole days; a clock that was set back makes none. */
function daysBetween(before: number, now: number): string {
  const days = Math.max(0, Math.floor((now - before) / dayMs));
  if (days === 0) return "less than a day";
  return days === 1 ? "1 day" : `${days} days`;
}
