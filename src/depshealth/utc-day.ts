/** The day of a time, UTC: `2026-11-20`. */
export function toUtcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
