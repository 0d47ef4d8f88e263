import { readdirSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseFrontMatterDocument } from "./front-matter.ts";
import {
  InvalidAgentExtensionFileError,
  codePointLength,
  assertAgentExtensionFileTextLength,
  type ImportedAgentExtension,
} from "./item-draft.ts";
import { readLocalExtensionFile } from "./read-item-text.ts";

/** As the Agent Skills format has it (agentskills.io). */
const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const [longestName, longestDescription] = [64, 1024];

/** The skill of a `SKILL.md`. Throws `InvalidAgentExtensionFileError` for one that the Agent Skills format does not allow. */
export function readSkillFile(file: string): ImportedAgentExtension {
  const { members, body } = parseFrontMatterDocument(file, readLocalExtensionFile(file));
  const name = nameOf(file, members["name"]);
  const description = descriptionOf(file, members["description"]);
  if (body === "")
    throw new InvalidAgentExtensionFileError(file, "says nothing behind its front matter");
  assertAgentExtensionFileTextLength(file, body);
  return { kind: "skills", name, description, text: body, file, warnings: warningsOf(file, name) };
}

function nameOf(file: string, name: unknown): string {
  if (typeof name !== "string" || name === "")
    throw new InvalidAgentExtensionFileError(file, `\`name\` ${missingField(name)}`);
  if (name.length <= longestName && namePattern.test(name)) return name;
  throw new InvalidAgentExtensionFileError(
    file,
    `\`name\` must be at most ${longestName.toString()} of a-z, 0-9 and single hyphens between them, not "${name}"`,
  );
}

function descriptionOf(file: string, description: unknown): string {
  const text = typeof description === "string" ? description.trim() : description;
  if (typeof text !== "string" || text === "") {
    throw new InvalidAgentExtensionFileError(
      file,
      `\`description\` ${missingField(text)}: say when to use the skill`,
    );
  }
  const length = codePointLength(text);
  if (length <= longestDescription) return text;
  throw new InvalidAgentExtensionFileError(
    file,
    `\`description\` has ${length.toString()} characters, and may have ${longestDescription.toString()}`,
  );
}

/** What is wrong with a member that should be text. */
function missingField(value: unknown): string {
  if (value === undefined) return "is missing from the front matter";
  return value === null || value === "" ? "is empty" : "must be text; put it in quotes";
}

function warningsOf(file: string, name: string): string[] {
  const folder = dirname(resolve(file));
  const others = readdirSync(folder).filter((entry) => entry !== "SKILL.md");
  return [
    ...(basename(folder) === name
      ? []
      : [
          `${file}: the skill is called ${name}, its folder ${basename(folder)}; both should be the same.`,
        ]),
    ...(others.length === 0
      ? []
      : [
          `${file}: the agent gets this file alone, and nothing of ${others.toSorted().join(", ")}.`,
        ]),
  ];
}
