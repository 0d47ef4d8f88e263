import { readWholeRegularFile } from "../regular-file.ts";
import { InvalidAgentExtensionFileError } from "./item-draft.ts";

/** The text of a file, lines ended by LF alone. Throws `InvalidAgentExtensionFileError` for what is no UTF-8. */
export function readLocalExtensionFile(file: string): string {
  const bytes = readWholeRegularFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    throw new InvalidAgentExtensionFileError(file, "is no UTF-8 text; save it as UTF-8");
  }
}
