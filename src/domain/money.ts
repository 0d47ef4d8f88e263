import { invalidRequestError } from "../platform/errors.ts";

const decimals = 9;

/**
 * US dollars of a request as whole nano-dollars, in decimal digits. Throws 400
 * with `param` for an amount that has more than nine decimals.
 */
export function usdToNanoDigits(usd: number, param: string): string {
  const [whole = "", fraction = ""] = writtenUsd(usd).split(".");
  if (fraction.length > decimals || Number(`${whole}.${fraction}`) !== usd) {
    throw invalidRequestError(param, `\`${param}\` must have at most nine decimals.`);
  }
  return BigInt(whole + fraction.padEnd(decimals, "0")).toString();
}

/** As it was sent: further digits of a large amount are those of its binary form. Small ones have an exponent. */
function writtenUsd(usd: number): string {
  return usd < 1e-6 ? usd.toFixed(decimals) : usd.toString();
}

/** Whole nano-dollars as US dollars, for an answer. */
export function nanoDigitsToUsd(nano: string): number {
  if (nano.startsWith("-")) return -nanoDigitsToUsd(nano.slice(1));
  const digits = nano.padStart(decimals + 1, "0");
  return Number(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
}
