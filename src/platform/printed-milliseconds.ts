/** 0 to 999 in three digits. */
const lastDigits = Array.from({ length: 1000 }, (_, number) => `${number}`.padStart(3, "0"));

/** So many thousandths as they stand behind the whole, the point included; nothing of none. */
const fractions = lastDigits.map((digits) => `.${digits}`.replace(/\.?0+$/, ""));

/**
 * Milliseconds of at least 0, rounded to the microsecond, as a JSON number. Put
 * together of small whole numbers: V8 keeps the text of each fraction that it
 * prints in a cache, whose entries grow old before they are replaced, and under
 * load that alone called for a collection of the whole heap a second.
 */
export function printedDuration(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  const whole = Math.floor(microseconds / 1000);
  return `${whole}${fractions[microseconds - whole * 1000] ?? ""}`;
}

/** Milliseconds since the epoch, rounded to whole ones, as a JSON number; for the same reason. */
export function printedInstant(milliseconds: number): string {
  const rounded = Math.round(milliseconds);
  const seconds = Math.floor(rounded / 1000);
  return `${seconds}${lastDigits[rounded - seconds * 1000] ?? ""}`;
}
