import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/causeway-process.ts";

const guide = readFileSync(join(repository, "docs/other-languages.md"), "utf8");

/** A block of code in the guide: `sh` is run, whatever has a title is a file. */
const block = /^```(?<language>\w+)(?: title="(?<file>[^"]+)")?\n(?<text>[\s\S]*?)^```$/gm;

/** What a reader does who follows one section of docs/other-languages.md, as a script for bash. */
export function guideScript(heading: string): string {
  const steps = [...sectionOf(heading).matchAll(block)].map(({ groups = {} }) => stepOf(groups));
  if (steps.length === 0) throw new Error(`The guide has nothing to do under ${heading}.`);
  return ["set -euo pipefail", ...steps].join("\n");
}

function stepOf({ language, file, text = "" }: Partial<Record<string, string>>): string {
  if (file !== undefined) return `cat > ${file} <<'END_OF_FILE'\n${text}END_OF_FILE`;
  if (language === "sh") return text;
  throw new Error(`A block of ${language ?? "nothing"} is neither run nor a file.`);
}

/** From a heading to the next one. */
function sectionOf(heading: string): string {
  const [, ...sections] = guide.split(/^(?=#+ )/m);
  const section = sections.find((it) => it.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`The guide has no section ${heading}.`);
  return section;
}
