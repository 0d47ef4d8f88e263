import type { PricedCallTokens } from "./reservation.ts";
import type { ModelPrice, ModelTokenPrices } from "../platform/configuration/model-price.ts";

/** A dollar per million tokens is so many nano-dollars per token. */
const nanoPerToken = 1000;

/** More than any wallet or budget holds, and small enough for sums of it in the database. */
const maxNano = 4e18;

/**
 * Nano-dollars of a call, rounded up to a whole one, at most four billion dollars. Where long prompts cost more,
 * the whole call does.
 */
export function computeCallCostNano(price: ModelPrice, tokens: PricedCallTokens): bigint {
  const rates = ratesFor(price, tokens.input + tokens.cacheRead + tokens.cacheWrite);
  const input = rates.inputUsdPerMtok;
  const nano =
    tokens.input * input +
    tokens.cacheRead * (rates.cachedInputUsdPerMtok ?? input) +
    tokens.cacheWrite * (rates.cacheWriteUsdPerMtok ?? input) +
    tokens.output * (rates.outputUsdPerMtok ?? 0);
  return BigInt(Math.min(maxNano, Math.ceil(roundedOff(nano * nanoPerToken))));
}

function ratesFor(price: ModelPrice, inputTokens: number): ModelTokenPrices {
  return price.tiers?.findLast((tier) => inputTokens > tier.aboveInputTokens) ?? price;
}

/** What binary fractions add to a sum is no nano-dollar. */
function roundedOff(nano: number): number {
  return Math.round(nano * 1000) / 1000;
}
