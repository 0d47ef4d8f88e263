import { asObject, told } from "../json.ts";
import { messagesTier, type ServiceTier } from "../service-tier.ts";
import { readCount, type Usage } from "../usage.ts";
import type { WireObject } from "./wire.ts";

/** Counts as this dialect tells them: a partition of the input, undefined where nothing was told. */
export function readUsage(value: unknown): Usage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  return {
    input: readCount(usage["input_tokens"]),
    cacheRead: readCount(usage["cache_read_input_tokens"]),
    cacheWrite: readCount(usage["cache_creation_input_tokens"]),
    output: readCount(usage["output_tokens"]),
    reasoning: readCount(asObject(usage["output_tokens_details"])?.["thinking_tokens"]),
    raw: usage,
  };
}

/** The tier stands among the counts. */
export function writeTier(tier: ServiceTier | undefined): WireObject {
  return tier === undefined ? {} : { service_tier: messagesTier(tier) };
}

/** What is told where the upstream tells nothing, in tokens. */
export interface EstimatedUsage {
  readonly input: number;
  readonly output: number;
}

/** Tokens of that many characters, roughly. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Counts for a caller; cache counts that nobody told are left out, for unknown is not 0. */
export function writeUsage(usage: Usage | undefined, estimated: EstimatedUsage): WireObject {
  const { input, cacheRead, cacheWrite, output, reasoning } = usage ?? {};
  const thinking = reasoning === undefined ? undefined : Math.min(reasoning, output ?? reasoning);
  return told({
    input_tokens: input ?? estimated.input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output ?? estimated.output,
    output_tokens_details: thinking === undefined ? undefined : { thinking_tokens: thinking },
  });
}
