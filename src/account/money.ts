import { invalidRequest } from "../platform/errors.ts";

const decimals = 9;

/**
 * US dollars of a request as whole nano-dollars, in decimal digits. Throws 400
 * with `param` for an amount that has more than nine decimals.
 */
export function nanoOfUsd(usd: number, param: string): string {
  const fixed = usd.toFixed(decimals);
  if (Number(fixed) !== usd) {
    throw invalidRequest(param, `\`${param}\` must have at most nine decimals.`);
  }
  return BigInt(fixed.replace(".", "")).toString();
}

/** Whole nano-dollars as US dollars, for an answer. */
export function usdOfNano(nano: string): number {
  if (nano.startsWith("-")) return -usdOfNano(nano.slice(1));
  const digits = nano.padStart(decimals + 1, "0");
  return Number(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
}
