/** So many thousandths as they stand behind the whole, the point included; nothing of none. */
const fractions = Array.from({ length: 1000 }, (_, number) =>
  `.${`${number}`.padStart(3, "0")}`.replace(/\.?0+$/, ""),
);

/**
 * Milliseconds of at least 0, rounded to the microsecond, as a JSON number. Speed:
 * docs/performance.md, `printed-milliseconds`.
 */
export function serializeMilliseconds(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  const whole = Math.floor(microseconds / 1000);
  return `${whole}${fractions[microseconds - whole * 1000] ?? ""}`;
}
