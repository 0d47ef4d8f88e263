import type { EolCycle, EolDateOrFlag } from "./dataset.ts";

export type EolCycleVerdict = "supported" | "security-only" | "eol";

const dayMs = 86_400_000;

/** Whether something is so on a day; the day it begins on is still before. */
export function hasEolDatePassed({ day, flag }: EolDateOrFlag, today: string): boolean {
  return day === null ? flag : today > day;
}

/**
 * The verdict on a cycle on a day, by its dates. Extended support for money
 * changes nothing, and the dataset's own `isMaintained`, which counts it, is not read.
 */
export function decideEolCycleVerdict(
  { end, supportEnd }: EolCycle,
  today: string,
): EolCycleVerdict {
  if (hasEolDatePassed(end, today)) return "eol";
  return supportEnd !== null && hasEolDatePassed(supportEnd, today) ? "security-only" : "supported";
}

/** Days until the end of life: 0 on the last day, negative after it; undefined without a date. */
export function countDaysToEol({ end }: EolCycle, today: string): number | undefined {
  if (end.day === null) return undefined;
  return Math.round((Date.parse(end.day) - Date.parse(today)) / dayMs);
}
