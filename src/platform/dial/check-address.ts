import { invalidRequest } from "../errors.ts";
import { DialRefusal } from "./dial-refusal.ts";
import type { Dialer } from "./dialer.ts";

/**
 * Judges an address that a caller gave: a name is looked up, one that does not resolve is
 * a matter of the dial. Throws 400 with `param` for one that policy refuses.
 */
export async function checkAddress(
  dialer: Pick<Dialer, "parseAddress" | "assertAllowed">,
  url: string,
  param: string,
): Promise<void> {
  try {
    await dialer.assertAllowed(dialer.parseAddress(url));
  } catch (error) {
    if (error instanceof DialRefusal) throw invalidRequest(param, error.message);
    throw error;
  }
}
