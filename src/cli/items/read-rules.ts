import { basename, dirname, resolve } from "node:path";
import {
  InvalidAgentItemFileError,
  assertAgentItemFileTextLength,
  type ImportedAgentItem,
} from "./item-draft.ts";
import { readLocalItemFile } from "./read-item-text.ts";

/** The rules of an `AGENTS.md`, which is plain Markdown: called after its folder, unless said. */
export function readAgentsMdFile(file: string, said: string | undefined): ImportedAgentItem {
  const text = readLocalItemFile(file).trim();
  if (text === "")
    throw new InvalidAgentItemFileError(file, "is empty; write what the agent shall always follow");
  assertAgentItemFileTextLength(file, text);
  const name = said ?? `${basename(dirname(resolve(file)))}/AGENTS.md`;
  return { kind: "rules", name, text, file, warnings: [] };
}
