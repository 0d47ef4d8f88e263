import type { UnparsedText } from "../../manifest/manifest.ts";

/** Formats that are read line by line: a line of any other text may look like one of theirs. */
const lineFormats: ReadonlyMap<string, RegExp> = new Map([
  ["requirements.txt", /^(git|url)\b/],
  ["build.gradle", /^$/],
  ["Gemfile", /^(git|local)\b/],
]);

/** Formats whose grammar makes a dependency of an element, whatever its values are. */
const elementFormats = /^(pom\.xml|csproj|Directory\.Packages\.props)$/;

/**
 * Returns what may be shown of a text that was not assessed: a dependency by the grammar of its
 * format, without secrets. Undefined for any other text, which may be anything that lies on the
 * machine.
 */
export function shownText(kind: string, { text, reason }: UnparsedText): string | undefined {
  const isDependency =
    lineFormats.get(kind)?.test(reason) ??
    (/^(git|url|local|reference|unsupported_registry|(no|invalid)_package_url)\b/.test(reason) ||
      (elementFormats.test(kind) && /^(expression|include)\b/.test(reason)));
  return isDependency ? withoutSecrets(text) : undefined;
}

/**
 * Masks user, password and query of the addresses in a text. A text that was cut may end in the
 * middle of a password, and a password may have a slash that nobody escaped.
 */
export function withoutSecrets(text: string): string {
  if (!/[:/]/.test(text)) return text;
  return text
    .split(/([\s"']+)/)
    .map((word) => withoutQueries(withoutShortForms(withoutUsers(word))))
    .join("");
}

/** Masks what lies before the `@` of each address in a word. */
function withoutUsers(word: string): string {
  const [start = "", ...addresses] = word.split("://");
  const masked = addresses.map((address, index) =>
    withoutUser(address, index === addresses.length - 1),
  );
  return [start, ...masked].join("://");
}

function withoutUser(address: string, isLast: boolean): string {
  const authority = /^[^/?#]*/.exec(address)?.[0] ?? "";
  const at = authority.lastIndexOf("@");
  if (at !== -1) return `***${address.slice(at)}`;
  if (isLast && authority.length === address.length && address.endsWith("…")) return "***@";
  if (!hasPassword(authority)) return address;
  const later = address.indexOf("@");
  if (later !== -1) return `***${address.slice(later)}`;
  // A password may hold "://", or it was cut.
  return isLast && !address.endsWith("…") ? address : "***@";
}

/** Whether a colon is followed by something other than a port. */
function hasPassword(authority: string): boolean {
  const colon = authority.indexOf(":");
  return colon !== -1 && !/^(?:\d+|\*.*)$/.test(authority.slice(colon + 1));
}

/** Masks what lies between `github:` and the `@` that follows. */
function withoutShortForms(word: string): string {
  const start = /\b(?:github|gitlab|bitbucket|gist):/.exec(word);
  if (start === null) return word;
  const from = start.index + start[0].length;
  const at = word.lastIndexOf("@");
  return at < from ? word : `${word.slice(0, from)}***${word.slice(at)}`;
}

/** Masks the queries of the addresses in a word, each up to its fragment. */
function withoutQueries(word: string): string {
  const start = word.search(/:\/\/|\bpkg:/);
  if (start === -1) return word;
  return word.slice(0, start) + word.slice(start).replaceAll(/\?[^#]*/g, "?***");
}
