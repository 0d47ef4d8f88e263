import type { Secret } from "../../platform/crypto/secret.ts";
import { replaceAllInLinearTime } from "../../platform/replace-text.ts";

/** UTF-16 units of a message that are searched for secrets. */
const maxSearchedLength = 64 * 1024;

/** Longest upstream message that is passed on. */
const maxMessageLength = 2000;

const redacted = "[redacted]";

/** Tokens by their well-known prefixes, masked ones included, and bearer headers. */
const tokens =
  /\b(?:cwk|cws|cwa|sk|rk|pk|xai|gsk|hf|r8|ghp|gho|ghs|github_pat|glpat|AIza|AKIA)[-_A-Za-z0-9]{0,4}[-_*.…A-Za-z0-9]{8,}|\bBearer +[^\s"']+/g;

const addresses = /\bhttps?:\/\/[^\s"'<>)\]]+/g;

/**
 * An upstream's message as a caller may see it: without what we sent in secret,
 * anything that looks like a token, and the address it was dialled at, and cut
 * to a reasonable length. Control characters become spaces.
 */
export function redactUpstreamMessage(
  message: string,
  secrets: readonly Secret[],
  origin: string,
): string {
  const clean = redactSecrets(message, secrets)
    .slice(0, maxMessageLength * 2)
    .replaceAll(/\p{Cc}+/gu, " ")
    .replaceAll(tokens, redacted)
    .replaceAll(addresses, (address) => (address.startsWith(origin) ? redacted : address));
  return clean.length > maxMessageLength ? `${clean.slice(0, maxMessageLength)}…` : clean;
}

/** Removes secrets from the beginning of a message, with what may be the beginning of one at its end. */
function redactSecrets(message: string, secrets: readonly Secret[]): string {
  const known = secrets.map((secret) => secret.reveal()).filter((secret) => secret !== "");
  const redactedText = known.reduce(
    (text, secret) => replaceAllInLinearTime(text, secret, redacted),
    message.slice(0, maxSearchedLength),
  );
  if (message.length <= maxSearchedLength) return redactedText;
  const longest = known.reduce((most, { length }) => Math.max(most, length), 1);
  return redactedText.slice(0, Math.max(0, redactedText.length - (longest - 1)));
}
