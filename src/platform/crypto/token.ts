import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** Caller key, session token, generated operator token. */
export type CredentialTokenPrefix = "cwk" | "cws" | "cwa";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const bodyLength = 43;
const checksumLength = 6;
const linkCodeLength = 22;

/**
 * The form of every token, for secret scanners: prefix, `_`, 43 random base62
 * characters and six that are the base62 CRC32 of what precedes them.
 */
export const credentialTokenPattern = /^(?:cwk|cws|cwa)_[0-9A-Za-z]{49}$/;

/** A new token of the form `credentialTokenPattern`; the 43 characters hold 256 random bits. */
export function generateCredentialToken(prefix: CredentialTokenPrefix): string {
  const body = `${prefix}_${randomBase62(bodyLength)}`;
  return body + checksum(body);
}

/**
 * Whether the text has the form and the checksum of a token, so that junk is
 * refused without a look-up.
 */
export function isWellFormedCredentialToken(text: string, prefix: CredentialTokenPrefix): boolean {
  if (text.length !== 4 + bodyLength + checksumLength || !text.startsWith(`${prefix}_`))
    return false;
  if (!credentialTokenPattern.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return checksum(body) === text.slice(-checksumLength);
}

/** Invite codes: `inv_` and 28 base62 characters, 166 random bits. */
export function generateInviteCode(): string {
  return `inv_${randomBase62(28)}`;
}

/** The code of a sign-in link: 22 base62 characters, 131 random bits. */
export function generateSignInLinkCode(): string {
  return randomBase62(linkCodeLength);
}

/** Whether a text has the form of the code of a sign-in link. */
export function isSignInLinkCode(text: string): boolean {
  return text.length === linkCodeLength && /^[0-9A-Za-z]+$/.test(text);
}

/** Uniformly random decimal digits, for one-time codes. */
export function randomDigits(count: number): string {
  return randomCharacters("0123456789", count);
}

function randomBase62(count: number): string {
  return randomCharacters(alphabet, count);
}

/** Rejection sampling: a plain remainder would favour the first characters. */
function randomCharacters(characters: string, count: number): string {
  const limit = 256 - (256 % characters.length);
  let text = "";
  while (text.length < count) {
    for (const byte of randomBytes(count)) {
      if (byte < limit && text.length < count) text += characters.charAt(byte % characters.length);
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = "";
  for (let index = 0; index < checksumLength; index++) {
    encoded = alphabet.charAt(rest % 62) + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}
