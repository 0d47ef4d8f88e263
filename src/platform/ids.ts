import { randomFillSync } from "node:crypto";

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

/** Two characters at a time: an id is made for every request. */
const pairs = Array.from(
  { length: 1024 },
  (_, index) => alphabet.charAt(index >> 5) + alphabet.charAt(index & 31),
);

/** Random bits drawn in advance, because a system call per id is dear. */
const randomPool = new Uint16Array(16_384);
let randomOffset = randomPool.length;

let lastTime = -1;
let lastTimeText = "";

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

/** Ten characters; kept for the other ids of the same millisecond. */
function timeText(now: number): string {
  if (now === lastTime) return lastTimeText;
  let rest = now;
  let text = "";
  for (let index = 0; index < 5; index++) {
    text = (pairs[rest % 1024] ?? "") + text;
    rest = Math.floor(rest / 1024);
  }
  lastTime = now;
  lastTimeText = text;
  return text;
}

/** Sixteen characters: eight times ten random bits. */
function randomText(): string {
  if (randomOffset + 8 > randomPool.length) {
    randomFillSync(randomPool);
    randomOffset = 0;
  }
  let text = "";
  for (let index = 0; index < 8; index++) {
    text += pairs[(randomPool[randomOffset++] ?? 0) & 1023] ?? "";
  }
  return text;
}

const idForm = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/;

/** When an id was made, milliseconds since the epoch; undefined: it is none of this form. */
export function timeOfId(id: string): number | undefined {
  const [, time] = idForm.exec(id) ?? [];
  if (time === undefined) return undefined;
  return Array.from(time).reduce((sum, digit) => sum * 32 + alphabet.indexOf(digit), 0);
}
