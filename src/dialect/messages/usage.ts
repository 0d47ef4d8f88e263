import { asObject, withoutUndefined } from "../json.ts";
import { toMessagesResponseTier, type ResponseServiceTier } from "../service-tier.ts";
import { omitOversizedRawUsage, readTokenCount, type TokenUsage } from "../usage.ts";
import type { MessagesWireObject } from "./wire.ts";

/** Counts as this dialect tells them: a partition of the input, undefined where nothing was told. */
export function decodeMessagesUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  return {
    input: readTokenCount(usage["input_tokens"]),
    cacheRead: readTokenCount(usage["cache_read_input_tokens"]),
    cacheWrite: readTokenCount(usage["cache_creation_input_tokens"]),
    output: readTokenCount(usage["output_tokens"]),
    reasoning: readTokenCount(asObject(usage["output_tokens_details"])?.["thinking_tokens"]),
    raw: omitOversizedRawUsage(usage),
  };
}

/** The tier stands among the counts; one that this dialect has no word for is left out. */
export function encodeMessagesServiceTier(
  tier: ResponseServiceTier | undefined,
): MessagesWireObject {
  return withoutUndefined({
    service_tier: tier === undefined ? undefined : toMessagesResponseTier(tier),
  });
}

/** Counts for a caller; those of caches are always there, as the vendor has them. */
export function encodeMessagesUsage(usage: TokenUsage): MessagesWireObject {
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning } = usage;
  const thinking = reasoning === undefined ? undefined : Math.min(reasoning, output);
  return withoutUndefined({
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    output_tokens_details: thinking === undefined ? undefined : { thinking_tokens: thinking },
  });
}
