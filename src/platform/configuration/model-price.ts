/** Prices of tokens, in US dollars per million. */
export interface ModelTokenPrices {
  readonly inputUsdPerMtok: number;
  /** Undefined: it has no output, because it embeds. */
  readonly outputUsdPerMtok: number | undefined;
  /** Undefined: as other input. */
  readonly cachedInputUsdPerMtok: number | undefined;
  /** Undefined: as other input. */
  readonly cacheWriteUsdPerMtok: number | undefined;
}

/** Prices that hold for the whole of a call with a long prompt. */
export interface ModelPriceTier extends ModelTokenPrices {
  /** Input tokens, caches included, above which they hold. */
  readonly aboveInputTokens: number;
}

/** What a model costs, and where that is from. */
export interface ModelPrice extends ModelTokenPrices {
  /** By rising length; absent: all prompts cost the same. */
  readonly tiers?: readonly ModelPriceTier[];
  /** Who says so: `configuration`, or the package with its version and model; absent: not noted. */
  readonly source?: string;
}
