import type { Ecosystem } from "../facts.ts";
import { findPackageNameMentions, type PackageNameMention } from "./named-packages.ts";
import { appendAll } from "../../platform/append-all.ts";

const maxAlternatives = 5;

/** Words that offer what stands near them. */
const offer =
  /\b(?:switch\w*|migrat\w+|renamed|merged|superseded|replaced|replacements?|successor|in favou?r of|moved|available as|recommend\w*|suggest\w*|alternatives?|consider\w*|incorporated|upgrad\w+|forks?|please use|interested in|rebranded|instead|going forward)\b/i;
/** Longer than any of them. */
const longestOffer = 40;
const plainUse = /\buse\b/i;

/** Of a longer text the beginning is read. */
const longestText = 20_000;

/** Headings of alternatives, and paragraphs that lead to a list of some. */
const heading = /\b(?:alternative|replacement)/i;
const lead = /\b(?:use|following|for instance)\b/i;

/** Nothing takes its place, whatever else is named. */
const disclaimer =
  /\b(?:no|not aware of)\b[^.\n]{0,30}\b(?:replacement|equivalent|alternative|successor)\b/i;

/**
 * Packages that an advisory offers instead of an abandoned one, best first:
 * what its title says to use, else its list of alternatives in their order, else
 * what its sentences offer. Only names that are quoted or linked count, so that
 * no word of a sentence becomes a package; whether there are such packages has
 * to be asked for all the same.
 */
export function parseAdvisoryAlternatives(
  wholeTitle: string,
  wholeText: string,
  ecosystem: Ecosystem,
  own: string,
): readonly string[] {
  const [title, text] = [wholeTitle.slice(0, longestText), wholeText.slice(0, longestText)];
  if (disclaimer.test(text)) return [];
  const read = (part: string) =>
    findPackageNameMentions(part, ecosystem).filter(({ name }) => name !== own);
  const known = new Set(read(`${title}\n\n${text}`).map(({ name }) => name));
  const meant = bareName(title) ?? titleName(title, own, read);
  if (meant !== undefined && meant !== own) return known.has(meant) ? [meant] : [];
  const bare = bareName(text);
  const offered = sentencesOf(text).flatMap((sentence) => offeredIn(sentence, read(sentence)));
  const found = [...listedIn(text, read), ...(bare === undefined ? [] : [bare]), ...offered];
  const gone = disownedIn(text);
  return [...new Set(found)]
    .filter((name) => known.has(name) && !gone.has(name))
    .slice(0, maxAlternatives);
}

type Read = (part: string) => readonly PackageNameMention[];

/** The last name of a title that speaks of this package, and not of a project of several. */
function titleName(title: string, own: string, read: Read): string | undefined {
  const isOfPackage = title.includes(own) || /\b(?:crate|package|replaced by)\b/i.test(title);
  return isOfPackage && offer.test(title) ? read(title).at(-1)?.name : undefined;
}

/** The bare name of `use x instead`, which counts where it is quoted or linked elsewhere. */
function bareName(text: string): string | undefined {
  return /\buse [`'"]?([\w.-]*\w)[`'"]? instead\b/i.exec(text)?.[1];
}

/** Names with which a line begins below a heading of alternatives, or a paragraph that leads to some. */
function listedIn(text: string, read: Read): readonly string[] {
  let isList = false;
  let isOffer = false;
  let before = "";
  const names: string[] = [];
  for (const line of text.split("\n")) {
    const isBlank = line.trim() === "";
    // The end of the line before, for words that a line break parts: each line is read once.
    const joined = isBlank ? "" : `${before} ${line}`;
    isOffer = !isBlank && (isOffer || offer.test(joined) || lead.test(joined));
    before = joined.slice(-longestOffer);
    if (line.startsWith("#")) isList = heading.test(line);
    else if (isOffer && /:\s*$/.test(line)) isList = true;
    else if (isList) appendAll(names, firstName(line, read));
  }
  return names;
}

function firstName(line: string, read: Read): readonly string[] {
  const [first] = read(line);
  if (first === undefined || !/^\s*(?:[-*+]\s+)?$/.test(line.slice(0, first.index))) return [];
  return [first.name];
}

function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*[-*+#]\s)|(?<=[.;!?])\s/)
    .map((it) => it.replaceAll("\n", " "));
}

/** What is linked as a package comes before what is only named; a plain "use" offers nothing else. */
function offeredIn(sentence: string, names: readonly PackageNameMention[]): readonly string[] {
  const linked = names.filter(({ isPackageLink }) => isPackageLink);
  if (plainUse.test(sentence) && !offer.test(sentence)) return linked.map(({ name }) => name);
  if (!offer.test(sentence)) return [];
  return (linked.length > 0 ? linked : names).map(({ name }) => name);
}

const disowned =
  /`\s+(?:was|is|has been)\s+(?:already |an? )?(?:claimed|taken|unmaintained|deprecated)/g;

/** Names that somebody else holds, or whose package is no better off. */
function disownedIn(text: string): ReadonlySet<string> {
  const ends = [...text.matchAll(disowned)].map(({ index }) => index);
  return new Set(ends.map((end) => text.slice(text.lastIndexOf("`", end - 1) + 1, end)));
}
