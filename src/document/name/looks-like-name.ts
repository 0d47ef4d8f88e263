import { isPersonFirstName } from "./given-names.ts";
import { isWordLike, countUnusualLetterPairs } from "./word-likeness.ts";

/** Longer ones are no names of fields (docs/service-documents.md). */
const maximumLength = 40;

/** Words of camel case, initials and numbers, each with the digits that follow it. */
const wordPattern = /[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+/g;

/** Short words that are not what is left of a token. */
const shortWords = new Set(
  (
    "a ad ai am an as at az b bg by ca cc cd ci cn co cp cs ct cv db de dn do dr ds dt ec en eq es et eu " +
    "ex fn fr fs ft ga gb go gt gw h hd hi hr hs id if ii im in ip is it iv ix k8s kb km kv kw ln lt lv me " +
    "mb mx my n ne nl no ns nr of ok on op or os ou pc pi pk pm po ps px qa qr qs rc ro rw rx s s3 ec2 sa " +
    "se si sn so sp sq st sw t tb tf tk tl to ts tv tx tz ui uk un up us ux v vi vm vs w wo ws x y z"
  ).split(" "),
);

/**
 * Whether a string reads like a name that somebody gave in a program: words of
 * letters, with few digits after them. A token, a number, a random string, an
 * address or the name of a person does not. What does not is never kept.
 */
export function looksLikeIdentifier(text: string): boolean {
  if (text.length > maximumLength) return false;
  const known = results.get(text);
  if (known !== undefined) return known;
  const verdict = evaluate(text);
  if (results.size >= maxResults) results.clear();
  results.set(text, verdict);
  return verdict;
}

/** The same names come with every object; judging is most of the work of learning. */
const results = new Map<string, boolean>();
const maxResults = 10_000;

function evaluate(text: string): boolean {
  // Where a name becomes a member of an object, this one would be its prototype.
  if (!/[A-Za-z]/.test(text) || text === "__proto__") return false;
  const plain = text.replaceAll(standards, "$1");
  const words = plain.match(wordPattern) ?? [];
  const parts = plain.match(/[A-Za-z\d]+/g) ?? [];
  return (
    isSparseInDigits(plain) &&
    !isFragmented(words) &&
    words.every(isNameWord) &&
    !parts.some(isRandomPart)
  );
}

/** Numbers that belong to a word: `iso6391Code`, `sha256`. */
const standards = /(iso|rfc|sha|utf|base|md|oauth|crc|aes|rsa)[-_]?\d{1,4}/gi;

/** Three digits in all: four are a year, a pin or the end of a card number. */
function isSparseInDigits(text: string): boolean {
  return text.replaceAll(/\D/g, "").length <= 3 && !/\d[A-Za-z]+\d/.test(text);
}

/** Parts of fewer letters are judged by their words alone. */
const partLength = 8;

/**
 * Letters of both cases that do not read like words even with their borders between:
 * an unusual pair where two words meet is nothing, several are a token. So are
 * capitals with a digit among them.
 */
function isRandomPart(part: string): boolean {
  if (part.length < partLength) return false;
  const isMixed = /[a-z]/.test(part) && /[A-Z]/.test(part);
  const hasInnerDigit = /[A-Za-z]\d+[A-Za-z]/.test(part);
  if (!isMixed) return hasInnerDigit && !/[a-z]/.test(part);
  return countUnusualLetterPairs(part) > Math.max(1, part.length * (hasInnerDigit ? 0.12 : 0.2));
}

/** Random letters and digits fall apart into pieces that are no words. */
function isFragmented(words: readonly string[]): boolean {
  const pieces = words.filter(
    (word) => word.length <= 2 && /[a-z]/i.test(word) && !shortWords.has(word.toLowerCase()),
  );
  const hasDigits = words.some((word) => /\d/.test(word));
  return pieces.length > (hasDigits ? 0 : 1);
}

function isNameWord(word: string): boolean {
  const letters = word.replaceAll(/\d/g, "");
  return isWordLike(letters) && !isPersonFirstName(letters);
}
