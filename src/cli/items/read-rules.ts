import { basename, dirname, resolve } from "node:path";
import {
  InvalidAgentExtensionFileError,
  assertAgentExtensionFileTextLength,
  type ImportedAgentExtension,
} from "./item-draft.ts";
import { readLocalExtensionFile } from "./read-item-text.ts";

/** The rules of an `AGENTS.md`, which is plain Markdown: called after its folder, unless said. */
export function readAgentsMdFile(file: string, said: string | undefined): ImportedAgentExtension {
  const text = readLocalExtensionFile(file).trim();
  if (text === "")
    throw new InvalidAgentExtensionFileError(
      file,
      "is empty; write what the agent shall always follow",
    );
  assertAgentExtensionFileTextLength(file, text);
  const name = said ?? `${basename(dirname(resolve(file)))}/AGENTS.md`;
  return { kind: "rules", name, text, file, warnings: [] };
}
