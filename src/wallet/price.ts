/** Prices of a model, in US dollars per million tokens. */
export interface Price {
  readonly inputUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
  /** Undefined: as other input. */
  readonly cachedInputUsdPerMtok: number | undefined;
  /** Undefined: as other input. */
  readonly cacheWriteUsdPerMtok: number | undefined;
}

/** Tokens of a call as they are priced: input is what was neither read from nor written to a cache. */
export interface PricedTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** A dollar per million tokens is so many nano-dollars per token. */
const nanoPerToken = 1000;

/** Nano-dollars of a call, rounded up to a whole one. */
export function costNano(price: Price, tokens: PricedTokens): bigint {
  const input = price.inputUsdPerMtok;
  const nano =
    tokens.input * input +
    tokens.cacheRead * (price.cachedInputUsdPerMtok ?? input) +
    tokens.cacheWrite * (price.cacheWriteUsdPerMtok ?? input) +
    tokens.output * price.outputUsdPerMtok;
  return BigInt(Math.ceil(roundedOff(nano * nanoPerToken)));
}

/** What binary fractions add to a sum is no nano-dollar. */
function roundedOff(nano: number): number {
  return Math.round(nano * 1000) / 1000;
}
