import { asJsonObjectElements, asObject, withoutUndefined, type JsonObject } from "../json.ts";
import { toMessagesResponseTier, type ResponseServiceTier } from "../service-tier.ts";
import { omitOversizedRawUsage, readTokenCount, type TokenUsage } from "../usage.ts";
import type { MessagesWireObject } from "./wire.ts";

/**
 * Counts as this dialect tells them: a partition of the input, undefined where nothing was told.
 * The vendor leaves compaction and other inferences of its own out of the counts, and lists them
 * in `iterations`, whose sum counts where it is larger.
 */
export function decodeMessagesUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  const iterations = asJsonObjectElements(usage["iterations"]);
  return {
    input: largestCount(usage, iterations, "input_tokens"),
    cacheRead: largestCount(usage, iterations, "cache_read_input_tokens"),
    cacheWrite: largestCount(usage, iterations, "cache_creation_input_tokens"),
    output: largestCount(usage, iterations, "output_tokens"),
    reasoning: readTokenCount(asObject(usage["output_tokens_details"])?.["thinking_tokens"]),
    raw: omitOversizedRawUsage(usage),
  };
}

function largestCount(
  usage: JsonObject,
  iterations: readonly JsonObject[],
  name: string,
): number | undefined {
  const told = readTokenCount(usage[name]);
  const counts = iterations.flatMap((iteration) => readTokenCount(iteration[name]) ?? []);
  if (counts.length === 0) return told;
  // A sum that no response can have is ignored like such a count.
  const sum = readTokenCount(counts.reduce((total, count) => total + count, 0));
  return Math.max(told ?? 0, sum ?? 0);
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
