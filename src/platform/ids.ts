import { randomFillSync } from "node:crypto";

/** Prefixes of ids (contract section 4). */
export type IdPrefix =
  | "user"
  | "team"
  | "key"
  | "session"
  | "item"
  | "thread"
  | "turn"
  | "call"
  | "audit"
  | "req"
  | "upstream"
  | "mail";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const randomPool = new Uint8Array(4096);
let randomOffset = randomPool.length;

/**
 * A new id: the prefix, `_` and 26 lower-case base32 characters, of which the
 * first ten are the time in milliseconds, so that ids sort by creation (to the
 * millisecond) and the last sixteen are 80 random bits.
 */
export function newId<Prefix extends IdPrefix>(
  prefix: Prefix,
  now: number = Date.now(),
): `${Prefix}_${string}` {
  return `${prefix}_${encodeTime(now)}${randomCharacters(16)}`;
}

function encodeTime(now: number): string {
  let rest = now;
  let text = "";
  for (let index = 0; index < 10; index++) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Five bits of each random byte, drawn from a pool because a system call per id is dear. */
function randomCharacters(count: number): string {
  if (randomOffset + count > randomPool.length) {
    randomFillSync(randomPool);
    randomOffset = 0;
  }
  let text = "";
  for (let index = 0; index < count; index++) {
    text += alphabet.charAt((randomPool[randomOffset++] ?? 0) & 31);
  }
  return text;
}
