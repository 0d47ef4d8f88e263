import { invalidRequestError } from "../errors.ts";
import { DialDeniedError } from "./dial-denied-error.ts";
import type { Dialer } from "./dialer.ts";

/**
 * Judges an address that a caller gave: a name is looked up, one that does not resolve is
 * a matter of the dial. Throws 400 with `param` for one that policy refuses.
 */
export async function rejectUndialableRequestUrl(
  dialer: Pick<Dialer, "parseAddress" | "assertAllowed">,
  url: string,
  param: string,
): Promise<void> {
  try {
    await dialer.assertAllowed(dialer.parseAddress(url));
  } catch (error) {
    if (error instanceof DialDeniedError) throw invalidRequestError(param, error.message);
    throw error;
  }
}
