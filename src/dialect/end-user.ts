import { createHash } from "node:crypto";
import type { LossLedger } from "./loss.ts";
import type { Located } from "./turn.ts";

/** Characters that every vendor takes; some take 128 or 256. */
const longestId = 64;

/**
 * The id of the end user for an upstream of another dialect. Claude Code's is a
 * JSON text of 180 characters; one that is too long is hashed, which keeps users
 * apart all the same.
 */
export function endUserId({ path, value }: Located<string>, ledger: LossLedger): string {
  if (value.length <= longestId) return value;
  ledger.approximate(path, "range");
  return createHash("sha256").update(value).digest("hex");
}
