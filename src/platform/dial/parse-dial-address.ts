import { DialDeniedError } from "./dial-denied-error.ts";

/** Strict on purpose: where parsers differ, the address is refused, not interpreted. */
const addressPattern = /^https?:\/\/[^/?#@]+(?:\/|$)/i;

/**
 * Parses an address once, for good: what this returns is what is dialled.
 * Throws a `DialDeniedError` for anything but an absolute http or https address
 * without user, query and fragment whose path goes nowhere up.
 */
export function requireHttpDialUrl(raw: string): URL {
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(raw)) {
    throw refusal("must not contain white space, control characters or a backslash");
  }
  if (/^[^/]*:\/\/[^/]*@/.test(raw)) throw refusal("must not contain a user name or password");
  if (raw.includes("?") || raw.includes("#")) {
    throw refusal("must not contain a query or a fragment");
  }
  const url = addressPattern.test(raw) ? URL.parse(raw) : null;
  if (url === null || url.hostname === "") {
    throw refusal(
      "must be an absolute http or https address, https://api.example.com/v1 for instance",
    );
  }
  if (escapesRoot(raw)) throw refusal('must not contain ".." in its path');
  return url;
}

/** Host and port as they were written, for messages. */
export function extractRawUrlAuthority(raw: string): string {
  return /^[^/]*:\/\/([^/?#]*)/.exec(raw)?.[1] ?? raw;
}

/** Looks at the written text because the URL parser folds `..` and `%2e%2e` away. */
function escapesRoot(raw: string): boolean {
  const path = raw.replace(/^[^/]*:\/\/[^/]*/, "");
  const decoded = decodePath(path);
  return decoded === undefined || decoded.split(/[/\\]/).includes("..");
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function refusal(problem: string): DialDeniedError {
  return new DialDeniedError("syntax", `The address ${problem}.`);
}
