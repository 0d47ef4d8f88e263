import type { ConversionWarningCollector } from "./conversion-warning.ts";
import type { OpaquePart } from "./neutral-request.ts";

/**
 * What a part of another dialect says in words, for an upstream that has none of
 * its kind. Throws 400 with its path for one that nothing can be said of.
 */
export function opaquePartToText(part: OpaquePart, ledger: ConversionWarningCollector): string {
  if (part.text === undefined) return rejectOpaquePart(part, ledger);
  ledger.approximate(part.path, "wrapped");
  return part.text;
}

/** Throws 400 with the part's path: this upstream has none of its kind. */
export function rejectOpaquePart(part: OpaquePart, ledger: ConversionWarningCollector): never {
  const { path, name, advice = "Leave it out, or say it in a text." } = part;
  return ledger.reject(path, `This upstream has no part \`${name}\`. ${advice}`);
}
