import { keyedHash } from "../../platform/crypto/keyed-hash.ts";

/** Of a hash as many bits are used as a number holds exactly. */
const drawBytes = 6;

/**
 * A number from 0 up to 1 for a session and a target: the same in every process that has
 * the key, and for whoever has not, of no relation to what it is made from.
 */
export function hashSessionToUnitInterval(
  key: Buffer,
  accountId: string,
  session: string,
  target: string,
): number {
  const hash = keyedHash(key, JSON.stringify([accountId, session, target]));
  return hash.readUIntBE(0, drawBytes) / 2 ** (8 * drawBytes);
}
