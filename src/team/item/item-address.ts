import { DialRefusal } from "../../platform/dial/dial-refusal.ts";
import type { Dialer } from "../../platform/dial/dialer.ts";
import { invalidRequest } from "../../platform/errors.ts";

/**
 * Judges the address of an MCP server like the `base_url` of a custom endpoint:
 * a name is looked up, one that does not resolve is a matter of the dial.
 * Throws 400 with `url` as `param`.
 */
export async function checkItemAddress(
  dialer: Pick<Dialer, "parseAddress" | "assertAllowed">,
  url: string,
): Promise<void> {
  try {
    await dialer.assertAllowed(dialer.parseAddress(url));
  } catch (error) {
    if (error instanceof DialRefusal) throw invalidRequest("url", error.message);
    throw error;
  }
}

/** Whether both addresses lead to the same server: secrets of the one are not for another. */
export function isSameServer(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}
