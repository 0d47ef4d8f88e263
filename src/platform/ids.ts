import { randomByte } from "./speed/random-byte.ts";

/** Prefixes of ids. */
export type ResourceIdPrefix =
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

const alphabet = Buffer.from("0123456789abcdefghjkmnpqrstvwxyz");

/** Of the id that is being made: ten of the time, sixteen at random. */
const letters = Buffer.alloc(26);

/**
 * A new id: the prefix, `_` and 26 lower-case base32 characters, of which the
 * first ten are the time in milliseconds, so that ids sort by creation (to the
 * millisecond) and the last sixteen are 80 random bits.
 */
export function newResourceId<Prefix extends ResourceIdPrefix>(
  prefix: Prefix,
  now: number = Date.now(),
): `${Prefix}_${string}` {
  writeNumber(Math.floor(now / 2 ** 25), 0);
  writeNumber(now % 2 ** 25, 5);
  for (let place = 10; place < letters.length; place++) writeLetter(randomByte(), place);
  return `${prefix}_${letters.toString("latin1")}`;
}

/** Five letters of 25 bits. */
function writeNumber(bits: number, start: number): void {
  for (let place = 0; place < 5; place++) writeLetter(bits >> (20 - 5 * place), start + place);
}

function writeLetter(bits: number, place: number): void {
  letters[place] = alphabet[bits & 31] ?? 0;
}

const idPattern = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/;

/** When an id was made, milliseconds since the epoch; undefined: it is none of this form. */
export function resourceIdTimestamp(id: string): number | undefined {
  const [, time] = idPattern.exec(id) ?? [];
  if (time === undefined) return undefined;
  return Array.from(time).reduce((sum, digit) => sum * 32 + alphabet.indexOf(digit), 0);
}
