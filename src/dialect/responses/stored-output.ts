import type { ResponseEncodingContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { NeutralResponse } from "../neutral-response.ts";
import { encodeResponsesOutputItems } from "./encode-response.ts";

/**
 * The output of an answer as it is kept to go on from: with all that was thought
 * and its seal, whether or not the caller asked to see it, because some vendors
 * take the outputs of calls only together with the thoughts before them. The ids
 * of what the caller saw are the same. Without reasoning, the list is `shown`, the
 * output that the caller gets.
 */
export function encodeResponsesStoredOutputItems(
  answer: NeutralResponse,
  context: ResponseEncodingContext,
  shown: readonly JsonObject[],
): readonly JsonObject[] {
  if (!answer.parts.some(({ type }) => type === "reasoning")) return shown;
  const reasoning = {
    path: "reasoning",
    mode: "default",
    effort: undefined,
    budgetTokens: undefined,
    ...context.request.reasoning,
    summary: "auto",
    wantsEncrypted: true,
  } as const;
  return encodeResponsesOutputItems(answer, {
    ...context,
    request: { ...context.request, reasoning },
  });
}
