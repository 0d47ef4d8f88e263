import type { AnswerContext } from "../codec.ts";
import type { ReasoningSeal, Turn } from "../turn.ts";

/** The caller wants no readable thinking, only what it has to send back. */
export function isHidden(turn: Turn): boolean {
  return turn.reasoning?.summary === "omitted";
}

/**
 * The signature of a thinking block: this vendor's own, or an envelope around
 * what another upstream wants back. Thinking that nobody signed is sealed, too,
 * so that its words can go back to servers which want them.
 */
export function signatureOf(
  seal: ReasoningSeal | undefined,
  texts: readonly string[],
  { envelope }: AnswerContext,
): string {
  if (seal?.kind === "thinking") return seal.signature;
  return envelope.seal(seal ?? { dialect: "dialect_chat", kind: "plain" }, texts);
}
