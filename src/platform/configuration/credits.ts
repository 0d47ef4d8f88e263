import type { Clock } from "../clock.ts";
import { ConfigurationError } from "./configuration-error.ts";
import type { ConfigurationFile } from "./configuration-file.ts";
import type { ModelPrice, ModelPriceTier } from "./model-price.ts";
import { findBundledModelPrice } from "./package-prices.ts";

/** A model that the operator sells from the wallet. */
export interface CreditsCatalogEntry {
  /** What callers name. */
  readonly id: string;
  readonly vendor: string;
  /** What the vendor knows it by. */
  readonly model: string;
  /** Price class, as configured. */
  readonly tier: string | undefined;
  readonly price: ModelPrice;
  /** Tokens that prompt and answer may have together. */
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
}

/** What the operator sells. */
export interface CreditsConfiguration {
  /** The operator's own keys, by vendor id. */
  readonly keys: Readonly<Record<string, string>>;
  readonly catalog: readonly CreditsCatalogEntry[];
}

type Entry = ConfigurationFile["credits"]["catalog"][number];

/**
 * The `credits` of a configuration file; `setting` names it. Prices that an entry
 * does not have are those that the price package has for now. Throws a `ConfigurationError` for
 * one that the package does not know either.
 */
export function parseCreditsConfiguration(
  { credits, vendors }: ConfigurationFile,
  setting: string,
  clock: Clock,
): CreditsConfiguration {
  return {
    keys: credits.keys,
    catalog: credits.catalog.map((entry, index) => {
      const baseUrl = vendors[entry.vendor]?.base_url;
      return catalogModel(entry, baseUrl, `${setting}: credits.catalog[${index}]`, clock);
    }),
  };
}

function catalogModel(
  entry: Entry,
  baseUrl: string | undefined,
  setting: string,
  clock: Clock,
): CreditsCatalogEntry {
  const { id, vendor, model, tier } = entry;
  const common = { id, vendor, model, tier, maxOutputTokens: entry.max_output_tokens };
  const configured = configuredPrice(entry);
  if (configured !== undefined) {
    return { ...common, price: configured, contextWindow: entry.context_window };
  }
  const known = findBundledModelPrice({ id: vendor, baseUrl }, model, new Date(clock.now()));
  if (known === undefined) throw unpriced(entry, setting);
  const contextWindow = entry.context_window ?? known.contextWindow;
  return { ...common, price: mergedPrice(entry, known.price), contextWindow };
}

/** With a price for input and one for output nothing else is asked. */
function configuredPrice(entry: Entry): ModelPrice | undefined {
  const { input_usd_per_mtok: input, output_usd_per_mtok: output } = entry;
  if (input === undefined || output === undefined) return undefined;
  return {
    inputUsdPerMtok: input,
    outputUsdPerMtok: output,
    cachedInputUsdPerMtok: entry.cached_input_usd_per_mtok,
    cacheWriteUsdPerMtok: entry.cache_write_usd_per_mtok,
    source: "configuration",
  };
}

/** What is configured wins field by field, for prompts of every length. */
function mergedPrice(entry: Entry, { tiers, source, ...rates }: ModelPrice): ModelPrice {
  const own = {
    ...(entry.input_usd_per_mtok !== undefined && { inputUsdPerMtok: entry.input_usd_per_mtok }),
    ...(entry.output_usd_per_mtok !== undefined && { outputUsdPerMtok: entry.output_usd_per_mtok }),
    ...(entry.cached_input_usd_per_mtok !== undefined && {
      cachedInputUsdPerMtok: entry.cached_input_usd_per_mtok,
    }),
    ...(entry.cache_write_usd_per_mtok !== undefined && {
      cacheWriteUsdPerMtok: entry.cache_write_usd_per_mtok,
    }),
  };
  const isMixed = Object.keys(own).length > 0;
  return {
    ...rates,
    ...own,
    ...(tiers !== undefined && {
      tiers: tiers.map((tier): ModelPriceTier => ({ ...tier, ...own })),
    }),
    source: isMixed ? `configuration, ${source}` : (source ?? "configuration"),
  };
}

function unpriced({ id, vendor, model }: Entry, setting: string): ConfigurationError {
  return new ConfigurationError(
    setting,
    `the entry \`${id}\` has no prices, and none are known of \`${model}\` of \`${vendor}\`: give input_usd_per_mtok and output_usd_per_mtok`,
  );
}
