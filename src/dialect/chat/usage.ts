import { asObject, type JsonObject, withoutUndefined } from "../json.ts";
import {
  omitOversizedRawUsage,
  totalInputTokens,
  splitInputTokensByCache,
  readTokenCount,
  type TokenUsage,
} from "../usage.ts";

/** Usage as chat tells it: `prompt_tokens` counts its caches. What is not known is left out. */
export function encodeChatUsage(usage: TokenUsage): JsonObject {
  const prompt = totalInputTokens(usage);
  const completion = usage.output ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: promptDetails(usage),
    completion_tokens_details:
      usage.reasoning === undefined ? undefined : { reasoning_tokens: usage.reasoning },
  };
}

/**
 * Undefined for anything that is no usage object. Output includes the reasoning, which some
 * vendors count outside of `completion_tokens`. Reasoning never exceeds the output.
 */
export function decodeChatUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const details = asObject(usage["prompt_tokens_details"]);
  // The second name is of servers that cache without being asked.
  const cacheRead = readTokenCount(details?.["cached_tokens"] ?? usage["prompt_cache_hit_tokens"]);
  const cacheWrite = readTokenCount(details?.["cache_write_tokens"]);
  const prompt = readTokenCount(usage["prompt_tokens"]);
  const reasoning = readReasoningCount(usage);
  const output = outputWithReasoning(usage, prompt, reasoning);
  return {
    ...splitInputTokensByCache(prompt, cacheRead, cacheWrite),
    output,
    reasoning:
      reasoning === undefined || output === undefined ? reasoning : Math.min(reasoning, output),
    raw: omitOversizedRawUsage(usage),
  };
}

function readReasoningCount(usage: JsonObject): number | undefined {
  const told = asObject(usage["completion_tokens_details"])?.["reasoning_tokens"];
  return readTokenCount(told ?? usage["reasoning_tokens"]);
}

/**
 * xAI and Gemini count reasoning outside of `completion_tokens`. Only the total shows it: all of the
 * reasoning fits between the total and the two counts.
 */
function outputWithReasoning(
  usage: JsonObject,
  prompt: number | undefined,
  reasoning = 0,
): number | undefined {
  const completion = readTokenCount(usage["completion_tokens"]);
  const total = readTokenCount(usage["total_tokens"]);
  if (completion === undefined || prompt === undefined || total === undefined) return completion;
  return prompt + completion + reasoning <= total ? completion + reasoning : completion;
}

function promptDetails({ cacheRead, cacheWrite }: TokenUsage): JsonObject | undefined {
  if (cacheRead === undefined && cacheWrite === undefined) return undefined;
  return withoutUndefined({ cached_tokens: cacheRead, cache_write_tokens: cacheWrite });
}
