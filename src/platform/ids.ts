import { randomByte } from "./speed/random-byte.ts";

/** Prefixes of ids (contract section 4). */
export type IdPrefix =
  | "user"
  | "team"
  | "invite"
  | "key"
  | "session"
  | "item"
  | "context"
  | "thread"
  | "turn"
  | "call"
  | "audit"
  | "req"
  | "upstream"
  | "mail";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * A new id: the prefix, `_` and 26 lower-case base32 characters, of which the
 * first ten are the time in milliseconds, so that ids sort by creation (to the
 * millisecond) and the last sixteen are 80 random bits.
 */
export function newId<Prefix extends IdPrefix>(
  prefix: Prefix,
  now: number = Date.now(),
): `${Prefix}_${string}` {
  return `${prefix}_${timeText(now)}${randomText()}`;
}

/** Ten characters. */
function timeText(now: number): string {
  let rest = now;
  let text = "";
  for (let index = 0; index < 10; index++) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Sixteen characters of five random bits. */
function randomText(): string {
  let text = "";
  for (let index = 0; index < 16; index++) text += alphabet.charAt(randomByte() & 31);
  return text;
}

const idForm = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/;

/** When an id was made, milliseconds since the epoch; undefined: it is none of this form. */
export function timeOfId(id: string): number | undefined {
  const [, time] = idForm.exec(id) ?? [];
  if (time === undefined) return undefined;
  return Array.from(time).reduce((sum, digit) => sum * 32 + alphabet.indexOf(digit), 0);
}
