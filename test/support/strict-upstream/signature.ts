import { createHash } from "node:crypto";

/** What the double signs of a thought, and knows again: nobody else can make it. */
export function signatureOf(text: string): string {
  return createHash("sha256").update(`strict upstream\0${text}`).digest("base64");
}
