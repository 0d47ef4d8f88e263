import { isVersionPathSegment } from "../har/path-segment.ts";
import { trimCharacter } from "../../platform/trim-character.ts";

const irregular = new Map([
  ["people", "person"],
  ["children", "child"],
  ["men", "man"],
  ["women", "woman"],
  ["data", "data"],
  ["media", "media"],
  ["series", "series"],
  ["species", "species"],
  ["news", "news"],
  ["movies", "movie"],
  ["cookies", "cookie"],
  ["indices", "index"],
  ["matrices", "matrix"],
  ["analyses", "analysis"],
]);

/**
 * The name of a parameter after the segment before it: `users` gives `user_id`. One
 * that the path has already gets a number: `user_id_2`.
 */
export function buildPathParameterName(
  before: string | undefined,
  taken: readonly string[],
): string {
  const words = isNaming(before) ? `${singular(snakeCase(before))}_id` : "id";
  const count = taken.filter((name) => name.replace(/_\d+$/, "") === words).length;
  return count === 0 ? words : `${words}_${count + 1}`;
}

function isNaming(before: string | undefined): before is string {
  return (
    before !== undefined &&
    /[A-Za-z]/.test(before) &&
    !isVersionPathSegment(before) &&
    before !== "api"
  );
}

function snakeCase(text: string): string {
  const words = text.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").replaceAll(/[^A-Za-z\d]+/g, "_");
  return trimCharacter(words, "_").toLowerCase();
}

/** Of the last word. */
function singular(words: string): string {
  const [, head = "", last = ""] = /^(.*_)?([^_]*)$/.exec(words) ?? [];
  return `${head}${irregular.get(last) ?? singularWord(last)}`;
}

function singularWord(word: string): string {
  if (word.length <= 3 || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz|us)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}
