import type { ResponseEncodingContext } from "../codec.ts";
import type { EncryptedReasoning } from "../neutral-request.ts";
import type { ChatWireObject } from "./wire.ts";

/**
 * What a caller needs to send a thought back, as an entry of
 * `reasoning_details`; empty where nothing was signed. The words travel along
 * for those who show them.
 */
export function buildChatReasoningDetails(
  seal: EncryptedReasoning | undefined,
  texts: readonly string[],
  { envelope }: ResponseEncodingContext,
): readonly ChatWireObject[] {
  if (seal === undefined || seal.dialect === "dialect_chat") return [];
  const sealed = envelope.seal(seal, texts);
  return seal.kind === "redacted"
    ? [{ type: "redacted_thinking", data: sealed }]
    : [{ type: "thinking", text: texts.join(reasoningSummarySeparator), signature: sealed }];
}

/** Between two thoughts, or two parts of a summary, in one text. */
export const reasoningSummarySeparator = "\n\n";
