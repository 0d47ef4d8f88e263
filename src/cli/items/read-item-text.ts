import { readWholeRegularFile } from "../regular-file.ts";
import { InvalidItemFileError } from "./item-draft.ts";

/** The text of a file, lines ended by LF alone. Throws `InvalidItemFileError` for what is no UTF-8. */
export function readItemFile(file: string): string {
  const bytes = readWholeRegularFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    throw new InvalidItemFileError(file, "is no UTF-8 text; save it as UTF-8");
  }
}
