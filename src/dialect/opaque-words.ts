import type { LossLedger } from "./loss.ts";
import type { OpaquePart } from "./turn.ts";

/**
 * What a part of another dialect says in words, for an upstream that has none of
 * its kind. Throws 400 with its path for one that nothing can be said of.
 */
export function wordsOf(part: OpaquePart, ledger: LossLedger): string {
  if (part.text === undefined) return refuseOpaque(part, ledger);
  ledger.approximate(part.path, "wrapped");
  return part.text;
}

/** Throws 400 with the part's path: this upstream has none of its kind. */
export function refuseOpaque(part: OpaquePart, ledger: LossLedger): never {
  const { path, name, advice = "Leave it out, or say it in a text." } = part;
  return ledger.refuse(path, `This upstream has no part \`${name}\`. ${advice}`);
}
