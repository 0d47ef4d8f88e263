import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** SHA-256 of a file, in hexadecimal. */
export async function digestOf(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
