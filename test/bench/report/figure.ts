import type { Spread } from "../statistics.ts";

/** A figure with so many digits after the point; "" for none. */
export function figure(value: number | undefined, digits: number): string {
  return value === undefined ? "" : value.toFixed(digits);
}

/** `median (min to max)`; "" for none. */
export function spreadFigure(value: Spread | undefined, digits: number): string {
  if (value === undefined) return "";
  const [median, min, max] = [value.median, value.min, value.max].map((n) => n.toFixed(digits));
  return `${median} (${min} to ${max})`;
}
