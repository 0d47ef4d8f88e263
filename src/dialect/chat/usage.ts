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

/** Undefined for anything that is no usage object. Reasoning never exceeds the output. */
export function decodeChatUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const prompt = asObject(usage["prompt_tokens_details"]);
  // The second name is of servers that cache without being asked.
  const cacheRead = readTokenCount(prompt?.["cached_tokens"] ?? usage["prompt_cache_hit_tokens"]);
  const cacheWrite = readTokenCount(prompt?.["cache_write_tokens"]);
  const output = readTokenCount(usage["completion_tokens"]);
  return {
    ...splitInputTokensByCache(readTokenCount(usage["prompt_tokens"]), cacheRead, cacheWrite),
    output,
    reasoning: reasoningCount(usage, output),
    raw: omitOversizedRawUsage(usage),
  };
}

function reasoningCount(usage: JsonObject, output: number | undefined): number | undefined {
  const told = asObject(usage["completion_tokens_details"])?.["reasoning_tokens"];
  const count = readTokenCount(told ?? usage["reasoning_tokens"]);
  return count === undefined || output === undefined ? count : Math.min(count, output);
}

function promptDetails({ cacheRead, cacheWrite }: TokenUsage): JsonObject | undefined {
  if (cacheRead === undefined && cacheWrite === undefined) return undefined;
  return withoutUndefined({ cached_tokens: cacheRead, cache_write_tokens: cacheWrite });
}
