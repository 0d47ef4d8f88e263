import { readWholeRegularFile } from "../regular-file.ts";
import { InvalidAgentItemFileError } from "./item-draft.ts";

/** The text of a file, lines ended by LF alone. Throws `InvalidAgentItemFileError` for what is no UTF-8. */
export function readLocalItemFile(file: string): string {
  const bytes = readWholeRegularFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    throw new InvalidAgentItemFileError(file, "is no UTF-8 text; save it as UTF-8");
  }
}
