import { asObject } from "../json.ts";
import { readTokenCount, type TokenUsage } from "../usage.ts";

/**
 * Usage of an embeddings answer, which has no output: some vendors tell `total_tokens`
 * alone. Undefined for anything that is no usage object.
 */
export function decodeChatEmbeddingUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const input = readTokenCount(usage["prompt_tokens"] ?? usage["total_tokens"]);
  return { input, output: 0, raw: usage };
}
