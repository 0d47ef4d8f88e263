import { SealError, SecretBox, type SealedValueBinding } from "../../platform/crypto/secret-box.ts";

/** Long, so that a body without it is searched in leaps. */
const prefix = "causeway-compaction.";

/** What stands in every body with a summary that was sealed here. */
export const summarySealPrefix = Buffer.from(prefix);

/** Whether a text claims to be a summary that was sealed here; it may still be broken, or another account's. */
export function isSealedSummary(text: string): boolean {
  return text.startsWith(prefix);
}

/** Seals summaries of conversations, which callers carry, to their accounts. */
export class SummarySealer {
  readonly #box: SecretBox;

  /** `key`: 32 bytes of this installation that outlive its master keys, for no row can be wrapped anew. */
  constructor(key: Buffer) {
    this.#box = new SecretBox([key]);
  }

  /** `causeway-compaction.` and what opens for the same account alone. */
  seal(accountId: string, summary: string): string {
    return prefix + this.#box.seal(summary, bindingOf(accountId));
  }

  /** Undefined: not sealed here, broken, or another account's. */
  open(accountId: string, sealed: string): string | undefined {
    if (!isSealedSummary(sealed)) return undefined;
    const text = sealed.slice(prefix.length);
    if (!isAsWritten(text)) return undefined;
    try {
      return this.#box.open(text, bindingOf(accountId));
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }
}

/** Node reads base64 with letters too many, and with bits that say nothing: a seal has one form. */
function isAsWritten(text: string): boolean {
  const [, , ...sealed] = text.split(".");
  return sealed.every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

function bindingOf(accountId: string): SealedValueBinding {
  return { table: "compaction", row: accountId, column: "summary" };
}
