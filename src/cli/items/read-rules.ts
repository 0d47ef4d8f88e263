import { basename, dirname, resolve } from "node:path";
import { InvalidItemFileError, assertItemTextLength, type ItemDraft } from "./item-draft.ts";
import { readItemText } from "./read-item-text.ts";

/** The rules of an `AGENTS.md`, which is plain Markdown: called after its folder, unless said. */
export function readRulesDraft(file: string, said: string | undefined): ItemDraft {
  const text = readItemText(file).trim();
  if (text === "")
    throw new InvalidItemFileError(file, "is empty; write what the agent shall always follow");
  assertItemTextLength(file, text);
  const name = said ?? `${basename(dirname(resolve(file)))}/AGENTS.md`;
  return { kind: "rules", name, text, file, warnings: [] };
}
