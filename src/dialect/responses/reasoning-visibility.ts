import type { NeutralRequest } from "../neutral-request.ts";

/**
 * What a caller sees of a model's thinking: `summaries` it asked for, with
 * `reasoning.summary`; `sealed` items without words, because it only asked for
 * `reasoning.encrypted_content`; `hidden` otherwise, as at the vendor.
 */
export type ResponsesReasoningVisibility = "summaries" | "sealed" | "hidden";

export function readResponsesReasoningVisibility(
  turn: NeutralRequest,
): ResponsesReasoningVisibility {
  const { reasoning } = turn;
  if (reasoning?.summary !== undefined && reasoning.summary !== "omitted") return "summaries";
  return reasoning?.wantsEncrypted === true ? "sealed" : "hidden";
}
