/** The day of a time, UTC: `2026-11-20`. */
export function toUtcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A date of ISO 8601, maybe with a time of day and its zone. */
const datePattern =
  /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Parses a date to its day, UTC; a time without a zone is UTC. Returns null for an invalid date. */
export function parseUtcDay(text: string): string | null {
  const [, date = "", time, zone] = datePattern.exec(text) ?? [];
  const day = Date.parse(date);
  if (Number.isNaN(day) || toUtcDay(day) !== date) return null;
  const instant = Date.parse(time === undefined || zone !== undefined ? text : `${text}Z`);
  return Number.isNaN(instant) ? null : toUtcDay(instant);
}
