import { asObject, type JsonObject } from "../json.ts";
import {
  omitOversizedRawUsage,
  totalInputTokens,
  splitInputTokensByCache,
  readTokenCount,
  type TokenUsage,
} from "../usage.ts";

/**
 * Usage as a response tells it: input counts its caches, and the details are
 * always there, because clients in strict languages do not parse it without.
 */
export function encodeResponsesUsage(usage: TokenUsage): JsonObject {
  const input = totalInputTokens(usage);
  const output = usage.output ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead ?? 0,
      cache_write_tokens: usage.cacheWrite ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
  };
}

/** Undefined for anything that is no usage object. Reasoning never exceeds the output. */
export function decodeResponsesUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const inputDetails = asObject(usage["input_tokens_details"]);
  const cacheRead = readTokenCount(inputDetails?.["cached_tokens"]);
  const cacheWrite = readTokenCount(inputDetails?.["cache_write_tokens"]);
  const output = readTokenCount(usage["output_tokens"]);
  return {
    ...splitInputTokensByCache(readTokenCount(usage["input_tokens"]), cacheRead, cacheWrite),
    output,
    reasoning: reasoningCount(usage, output),
    raw: omitOversizedRawUsage(usage),
  };
}

function reasoningCount(usage: JsonObject, output: number | undefined): number | undefined {
  const told = readTokenCount(asObject(usage["output_tokens_details"])?.["reasoning_tokens"]);
  return told === undefined || output === undefined ? told : Math.min(told, output);
}
