import type { ResponseEncodingContext } from "../codec.ts";
import type { EncryptedReasoning, NeutralRequest } from "../neutral-request.ts";

/** The caller wants no readable thinking, only what it has to send back. */
export function isThinkingHidden(turn: NeutralRequest): boolean {
  return turn.reasoning?.summary === "omitted";
}

/**
 * The signature of a thinking block: this vendor's own, or an envelope around
 * what another upstream wants back. Thinking that nobody signed is sealed, too,
 * so that its words can go back to servers which want them.
 */
export function buildMessagesThinkingSignature(
  seal: EncryptedReasoning | undefined,
  texts: readonly string[],
  { envelope }: ResponseEncodingContext,
): string {
  if (seal?.kind === "thinking") return seal.signature;
  return envelope.seal(seal ?? { dialect: "dialect_chat", kind: "plain" }, texts);
}
