import { readFileSync } from "node:fs";
import { BadItemFile } from "./item-draft.ts";

/** The text of a file, lines ended by LF alone. Throws `BadItemFile` for what is no UTF-8. */
export function readItemText(file: string): string {
  const bytes = readFileSync(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    throw new BadItemFile(file, "is no UTF-8 text; save it as UTF-8");
  }
}
