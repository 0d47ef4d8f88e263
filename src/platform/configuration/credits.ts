import type { ConfigurationFile } from "./configuration-file.ts";

/** A model that the operator sells from the wallet; prices in US dollars per million tokens. */
export interface CatalogueModel {
  /** What callers name. */
  readonly id: string;
  readonly vendor: string;
  /** What the vendor knows it by. */
  readonly model: string;
  /** Price class, as configured. */
  readonly tier: string | undefined;
  readonly inputUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
  /** Undefined: as other input. */
  readonly cachedInputUsdPerMtok: number | undefined;
  /** Undefined: as other input. */
  readonly cacheWriteUsdPerMtok: number | undefined;
  /** Tokens that prompt and answer may have together. */
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
}

/** What the operator sells (contract section 3, `credits`). */
export interface Credits {
  /** The operator's own keys, by vendor id. */
  readonly keys: Readonly<Record<string, string>>;
  readonly catalogue: readonly CatalogueModel[];
}

/** The `credits` of a configuration file. */
export function creditsOf({ credits }: ConfigurationFile): Credits {
  return {
    keys: credits.keys,
    catalogue: credits.catalog.map((entry) => ({
      id: entry.id,
      vendor: entry.vendor,
      model: entry.model,
      tier: entry.tier,
      inputUsdPerMtok: entry.input_usd_per_mtok,
      outputUsdPerMtok: entry.output_usd_per_mtok,
      cachedInputUsdPerMtok: entry.cached_input_usd_per_mtok,
      cacheWriteUsdPerMtok: entry.cache_write_usd_per_mtok,
      contextWindow: entry.context_window,
      maxOutputTokens: entry.max_output_tokens,
    })),
  };
}
