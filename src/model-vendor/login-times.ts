import type { VendorLoginCredential } from "./vendor-secrets.ts";

/** When a login is to be renewed; milliseconds since the Unix epoch. */
export interface VendorLoginRefreshTimes {
  /** When the access token ends. */
  readonly expiresAt: number;
  /** From then on it is renewed while calls go on with the old one. */
  readonly refreshAt: number;
  /** From then on calls wait for the new one. */
  readonly dueAt: number;
}

/** A call may take so long to reach the vendor, and clocks may differ by so much. */
const dueMs = 60_000;
const renewMs = 5 * 60_000;

/**
 * A minute before the end of the access token calls wait for another one, five
 * minutes before it is asked for; of one that does not live long at most its last
 * half and its last quarter. One whose end is not known is good until it is refused.
 */
export function computeVendorLoginRefreshTimes({
  expiresAt: end,
  issuedAt: start,
}: VendorLoginCredential): VendorLoginRefreshTimes {
  const expiresAt = end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end);
  // How long a linked one has lived already is not known.
  const life = start === undefined ? Number.POSITIVE_INFINITY : expiresAt - Date.parse(start);
  const due = Math.min(dueMs, life / 2);
  const renew = Math.max(due, Math.min(renewMs, life / 4));
  return { expiresAt, dueAt: expiresAt - due, refreshAt: expiresAt - renew };
}
