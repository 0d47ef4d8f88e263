import type { Ecosystem } from "../facts.ts";
import { isUnmistakablePackageName, findPackageNameMentions } from "./named-packages.ts";

/** Words before the name of a successor. */
const leads =
  /(?:\buse|\bmoved to|\brenamed to|\breplaced (?:by|with)|\bin favou?r of|\bmigrat\w+ to|\bswitch(?:ed)? to|\bsuperseded by|\bis now|\bupgrade to|\bavailable (?:at|as|in)|\bnow (?:called|named|published (?:as|under))|\balternatives?:?|\bsuccessor(?: is)?:?)\s+/gi;

const filler =
  /^(?:(?:the|a|an|our|its|new|official|package|module|library|crate|gem|called|named|at|npm|either|maintained|of|is)\s+)+/i;

/** Of a longer one the beginning is read. */
const maxMessageLength = 4000;

/**
 * The package that a publisher's words name as the successor, "Please use
 * `other` instead" for instance. A name counts that is quoted or linked, or that
 * has the form of nothing else (a scope, a path, coordinates): most words of a
 * sentence are names of packages too. Undefined when they name none.
 */
export function parseReplacementMessage(
  message: string,
  ecosystem: Ecosystem,
  own: string,
): string | undefined {
  const text = message.slice(0, maxMessageLength);
  for (const lead of text.matchAll(leads)) {
    const rest = text.slice(lead.index + lead[0].length).replace(filler, "");
    const name = nameAt(rest, ecosystem);
    if (name !== undefined && name.toLowerCase() !== own.toLowerCase()) return name;
  }
  return undefined;
}

function nameAt(text: string, ecosystem: Ecosystem): string | undefined {
  const quoted = findPackageNameMentions(text.slice(0, maxNameLength), ecosystem).find(
    ({ index }) => index === 0,
  );
  if (quoted !== undefined) return quoted.name;
  const bare = /^[^\s,;!()]*[^\s,;!().:]/.exec(text)?.[0];
  return bare !== undefined && isUnmistakablePackageName(bare, ecosystem) ? bare : undefined;
}

/** With its quoting and the address of a link. */
const maxNameLength = 500;
