import { createHash } from "node:crypto";
import type { ConversionWarningCollector } from "./conversion-warning.ts";
import type { ValueWithPath } from "./neutral-request.ts";

/** Characters that every vendor takes; some take 128 or 256. */
const maxIdLength = 64;

/**
 * The id of the end user for an upstream of another dialect. Claude Code's is a
 * JSON text of 180 characters; one that is too long is hashed, which keeps users
 * apart all the same.
 */
export function shortenEndUserId(
  { path, value }: ValueWithPath<string>,
  ledger: ConversionWarningCollector,
): string {
  if (value.length <= maxIdLength) return value;
  ledger.approximate(path, "range");
  return createHash("sha256").update(value).digest("hex");
}
