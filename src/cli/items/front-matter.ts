import { LineCounter, parseDocument } from "yaml";
import { InvalidAgentExtensionFileError } from "./item-draft.ts";

/** A Markdown file that begins with YAML between two lines `---`. */
export interface FrontMatterDocument {
  readonly members: Readonly<Record<string, unknown>>;
  /** What stands behind it. */
  readonly body: string;
}

/** Takes a text apart. Throws `InvalidAgentExtensionFileError` where it has no front matter, or none that YAML reads. */
export function parseFrontMatterDocument(file: string, text: string): FrontMatterDocument {
  const [, matter, body] = /^---[ \t]*\n(.*?\n)?---[ \t]*(?:\n(.*))?$/s.exec(text) ?? [];
  if (matter === undefined) {
    throw new InvalidAgentExtensionFileError(
      file,
      "has no front matter: begin it with a line ---, then `name: …` and `description: …`, then a line ---",
    );
  }
  return { members: membersOf(file, matter), body: (body ?? "").trim() };
}

function membersOf(file: string, matter: string): Readonly<Record<string, unknown>> {
  const lineCounter = new LineCounter();
  const document = parseDocument(matter, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    // The first line of the file is not among them.
    const { line } = lineCounter.linePos(error.pos[0]);
    throw new InvalidAgentExtensionFileError(
      file,
      `line ${(line + 1).toString()} is no YAML: ${error.message}. Text with a colon in it stands in quotes`,
    );
  }
  const value: unknown = document.toJS();
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new InvalidAgentExtensionFileError(
    file,
    "has front matter without members: it needs `name` and `description`",
  );
}
