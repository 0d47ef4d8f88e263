import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/causeway-process.ts";

/**
 * What a block of code in a guide asks of its reader. Behind the language of the block stands
 * `server`: a command that goes on while the reader does; `title="main.ts"`: a file; `output`:
 * what the last command prints, where `…` is anything. Blocks of `sh` without such a word are
 * commands.
 */
export interface GuideStep {
  readonly kind: "command" | "server" | "file" | "output" | "untried";
  readonly text: string;
  /** Name of a file. */
  readonly file?: string | undefined;
}

/** The line above a block that no test runs; it says why, to the reader as well. */
const untriedLine = /(?:^|\n)Not run by a test: [^\n]+\n\n$/;

const block = /^```(?<language>\w+)(?<words>[^\n]*)\n(?<text>[\s\S]*?)^```$/gm;

/** The steps of a page of docs/, or of one section of it, in order. */
export function guideSteps(page: string, heading?: string): readonly GuideStep[] {
  const whole = readFileSync(join(repository, "docs", page), "utf8");
  const text = heading === undefined ? whole : sectionOf(whole, heading);
  const steps = stepsOf(text, page);
  if (steps.length === 0) throw new Error(`${page} has nothing to do under ${heading ?? "it"}.`);
  return steps;
}

/** Headings of the sections of a page that have something to try. */
export function guideSections(page: string): readonly string[] {
  const sections = sectionsOf(readFileSync(join(repository, "docs", page), "utf8"));
  return sections
    .filter((section) => stepsOf(section, page).some(({ kind }) => kind !== "untried"))
    .map((section) => section.slice(0, section.indexOf("\n")));
}

function stepsOf(text: string, page: string): readonly GuideStep[] {
  return [...text.matchAll(block)].map((match) => stepOf(match, text, page));
}

function stepOf({ groups = {}, index }: RegExpExecArray, page: string, name: string): GuideStep {
  const { language = "", words = "", text = "" } = groups;
  if (untriedLine.test(page.slice(0, index))) return { kind: "untried", text };
  const [, file] = /title="([^"]+)"/.exec(words) ?? [];
  if (file !== undefined) return { kind: "file", text, file };
  if (words.trim() === "output") return { kind: "output", text };
  if (language === "sh" && words.trim() === "server") return { kind: "server", text };
  if (language === "sh" && words.trim() === "") return { kind: "command", text };
  throw new Error(`A block of ${language} in ${name} is neither run nor a file:\n${text}`);
}

/** From a heading to the next one. */
function sectionOf(page: string, heading: string): string {
  const section = sectionsOf(page).find((it) => it.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`The guide has no section ${heading}.`);
  return section;
}

function sectionsOf(page: string): readonly string[] {
  return page.split(/^(?=#+ )/m);
}
