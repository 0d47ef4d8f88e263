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

/** More characters than an id of this server has. */
const maxIdCharacters = 200;

/**
 * Returns whether a text is short enough for an id of this server. Ask before the database is
 * asked for what a caller wrote: a look-up of a megabyte takes a second.
 */
export function canBeResourceId(text: string): boolean {
  return text.length <= maxIdCharacters;
}

const idPattern = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/;

/** Last millisecond of the year 9999, the last that the database and the contract can write. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * When an id was made, in milliseconds since the epoch. Undefined for a text of another form, and
 * for a time after the year 9999.
 */
export function resourceIdTimestamp(id: string): number | undefined {
  const [, letterText] = idPattern.exec(id) ?? [];
  if (letterText === undefined) return undefined;
  const time = Array.from(letterText).reduce((sum, digit) => sum * 32 + alphabet.indexOf(digit), 0);
  return time > lastTime ? undefined : time;
}
