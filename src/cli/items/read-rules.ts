import { basename, dirname, resolve } from "node:path";
import {
  InvalidItemFileError,
  assertItemFileTextLength,
  type ImportedAgentItem,
} from "./item-draft.ts";
import { readItemFile } from "./read-item-text.ts";

/** The rules of an `AGENTS.md`, which is plain Markdown: called after its folder, unless said. */
export function readAgentsMdDraft(file: string, said: string | undefined): ImportedAgentItem {
  const text = readItemFile(file).trim();
  if (text === "")
    throw new InvalidItemFileError(file, "is empty; write what the agent shall always follow");
  assertItemFileTextLength(file, text);
  const name = said ?? `${basename(dirname(resolve(file)))}/AGENTS.md`;
  return { kind: "rules", name, text, file, warnings: [] };
}
