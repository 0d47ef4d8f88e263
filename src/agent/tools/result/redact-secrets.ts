import { replaceAllInLinearTime } from "../../../platform/replace-text.ts";

/** Shorter values stand in many a text by chance. */
const minSecretLength = 6;

const redacted = "[redacted]";

/** Takes the values of headers out of a text. It comes before any cut, which would leave a part. */
export interface SecretRedactor {
  (text: string): string;
  /** Takes them out of a text that was cut at its end, with what may be the beginning of one. */
  readonly redactCut: (text: string) => string;
}

/**
 * Takes the values of headers out of what a server says: an owner's credential is
 * not for the members of a team, nor for a model. Of a credential with a scheme,
 * as `Bearer …`, the credential alone counts as well.
 */
export function createSecretRedactor(headers: Readonly<Record<string, string>>): SecretRedactor {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, "")]);
  const secrets = [...new Set(values)]
    .filter((value) => value.length >= minSecretLength)
    .toSorted((one, other) => other.length - one.length);
  const longest = secrets[0]?.length ?? 0;
  const redact = (text: string): string =>
    text.length < minSecretLength
      ? text
      : secrets.reduce((clean, secret) => replaceAllInLinearTime(clean, secret, redacted), text);
  const redactCut = (text: string): string =>
    longest === 0 ? text : redact(text).slice(0, -(longest - 1));
  return Object.assign(redact, { redactCut });
}

const urls = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>)\]]+/gi;
const ipAddresses = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:.]+\](?::\d+)?/gi;

const maxMessageLength = 500;

/** What a server says of a refusal, in one short line without addresses. */
export function summarizeMcpServerError(
  said: string,
  url: string,
  scrub: (text: string) => string,
): string {
  const { host, hostname } = new URL(url);
  const clean = scrub(said)
    .slice(0, maxMessageLength * 4)
    .replaceAll(urls, "[address]")
    .replaceAll(ipAddresses, "[address]")
    .replaceAll(host, "[address]")
    .replaceAll(hostname, "[address]")
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return (
    clean.length > maxMessageLength ? `${clean.slice(0, maxMessageLength)}…` : clean
  ).toWellFormed();
}
