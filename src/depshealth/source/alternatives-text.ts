import type { Ecosystem } from "../facts.ts";
import { replacementIn } from "./replacement-text.ts";

const mostAlternatives = 5;

/**
 * Packages that an advisory offers instead of an abandoned one: the entries of
 * its list of alternatives in their order, else the one its words name.
 */
export function alternativesIn(text: string, ecosystem: Ecosystem, own: string): readonly string[] {
  const lines = text.split("\n");
  const heading = lines.findIndex((line) =>
    /^#+.*\b(?:alternative|replacement)|^\W*(?:possible |recommended )?(?:alternatives?|replacements?)\b.*:\s*$/i.test(
      line,
    ),
  );
  const listed = heading === -1 ? [] : lines.slice(heading + 1).flatMap(itemName);
  const named = [...new Set(listed)].filter((name) => name !== own).slice(0, mostAlternatives);
  if (named.length > 0) return named;
  const replacement = replacementIn(text, ecosystem, own);
  return replacement === undefined ? [] : [replacement];
}

/** ``- [`anyhow`](https://…)``, `* anyhow`, `- [anyhow]: more` */
function itemName(line: string): readonly string[] {
  const [, name] = /^\s*[-*+]\s+[[`*"]*([a-z0-9@][\w./@-]*)[\]`*"]*/i.exec(line) ?? [];
  return name === undefined ? [] : [name.replace(/[.:]+$/, "")];
}
