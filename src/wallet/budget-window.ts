import type { BudgetWindow } from "../domain/caller-key.ts";

/** Name of the window that a time lies in: `2026-11-21`, `2026-11` or `total`. */
export function budgetWindowKey(window: BudgetWindow, now: number): string {
  const day = new Date(now).toISOString().slice(0, 10);
  if (window === "day") return day;
  return window === "month" ? day.slice(0, 7) : "total";
}
