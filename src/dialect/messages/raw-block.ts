import type { JsonObject } from "../json.ts";
import { parseLosslessJson } from "../parse-exact.ts";
import type { JsonValueBudget } from "../value-limit.ts";
import type { MessagesStreamingContentBlock } from "./open-block.ts";

/** The block as it would stand in a whole answer. Throws what `values` throws. */
export function assembleMessagesContentBlock(
  { block, text, signature, hasDelta, citations }: MessagesStreamingContentBlock,
  values: JsonValueBudget,
): JsonObject {
  switch (block["type"]) {
    case "text":
      return citations.length === 0 ? { ...block, text } : { ...block, text, citations };
    case "thinking":
      return { ...block, thinking: text, signature: signature ?? "" };
    default:
      return hasDelta ? { ...block, input: parsedInput(text, values) } : block;
  }
}

function parsedInput(text: string, values: JsonValueBudget): unknown {
  values.take(text);
  try {
    return parseLosslessJson(text);
  } catch {
    return {};
  }
}
