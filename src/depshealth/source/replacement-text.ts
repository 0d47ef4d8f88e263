import type { Ecosystem } from "../facts.ts";

/** Words before the name of a successor. */
const leads =
  /(?:\buse|\bmoved to|\brenamed to|\breplaced (?:by|with)|\bin favou?r of|\bmigrat\w+ to|\bswitch(?:ed)? to|\bsuperseded by|\bis now|\bupgrade to|\bavailable (?:at|as|in)|\bnow (?:called|named|published (?:as|under))|\balternatives?:?|\bsuccessor(?: is)?:?)\s+/gi;

const filler =
  /^(?:(?:the|a|an|our|its|new|official|package|module|library|crate|gem|called|named|at|npm|either|maintained|of|is)\s+)+/i;

/** How a name looks in each ecosystem when it stands in a sentence. */
const names: Readonly<Record<Ecosystem, RegExp>> = {
  npm: /^(@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*|[a-z0-9][\w.-]*)/i,
  pypi: /^([a-z0-9][\w.-]*)/i,
  cargo: /^([a-z][\w-]*)/i,
  rubygems: /^([a-z0-9][\w.-]*)/i,
  go: /^([a-z0-9][\w.-]*\.[a-z]{2,}(?:\/[\w.~-]+)+)/i,
  maven: /^([\w.-]+:[\w.-]+)/,
  nuget: /^([a-z0-9][\w.-]*)/i,
  packagist: /^([a-z0-9][\w.-]*\/[a-z0-9][\w.-]*)/i,
};

/** Of a longer one the beginning is read. */
const longestMessage = 4000;

/** Words that follow a lead and name nothing. */
const noNames = new Set(
  (
    "it its this that these those them another other others instead latest newer new version versions " +
    "and or in on at of for with by via to from as is are be has have no not any all some something anything " +
    "built native standard your you we they node nodejs npm yarn package packages module " +
    "at-your-own-risk caution care http https www please see supported maintained modern better following " +
    "python ruby rust java php github gitlab alternative alternatives one ones same similar"
  ).split(" "),
);

/**
 * The package that a publisher's words name as the successor, "Please use
 * `other` instead" for instance. Undefined when they name none: a wrong one
 * would be worse.
 */
export function replacementIn(
  message: string,
  ecosystem: Ecosystem,
  own: string,
): string | undefined {
  const text = message.slice(0, longestMessage);
  for (const lead of text.matchAll(leads)) {
    const rest = text.slice(lead.index + lead[0].length).replace(filler, "");
    const name = nameAt(rest, ecosystem);
    if (name !== undefined && name.toLowerCase() !== own.toLowerCase()) return name;
  }
  return undefined;
}

function nameAt(text: string, ecosystem: Ecosystem): string | undefined {
  const [, quoted] = /^[`'"“‘[(]+([^`'"”’\])]+)/.exec(text) ?? [];
  const found = names[ecosystem].exec(quoted ?? text)?.[1]?.replace(/[.,;:]+$/, "");
  if (found === undefined || noNames.has(found.toLowerCase())) return undefined;
  // A bare word in a sentence is a name only if it does not look like prose or a version.
  if (/^v?\d+(?:\.[\dx]+)*$/i.test(found) || /\.prototype\./.test(found)) return undefined;
  return quoted === undefined && isProse(found, text) ? undefined : found;
}

/** Without quotes a plain word counts only where the sentence or the clause ends after it. */
function isProse(found: string, text: string): boolean {
  if (/[/@:_-]|\w\.\w|\d/.test(found)) return false;
  return !/^(?:\s*(?:$|[.,;:!)(]|instead\b|for\b|or\b|and\b|at\b|https?:|v?\d))/i.test(
    text.slice(found.length),
  );
}
