import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as genaiPrices from "@pydantic/genai-prices";
import { recordToMap } from "../lookup-table.ts";
import type { ModelPrice, ModelPriceTier, ModelTokenPrices } from "./model-price.ts";

/** What the price package knows of a vendor's model. */
export interface BundledModelPrice {
  readonly price: ModelPrice;
  /** Tokens. */
  readonly contextWindow: number | undefined;
}

type PackageRates = Readonly<Record<string, number | genaiPrices.TieredPrices | undefined>>;

const packageName = "@pydantic/genai-prices";

const load = createRequire(import.meta.url);

/** Units that a call of a language model pays beside its tokens: no price per token says it all. */
const otherUnits = ["requests_kcount", "input_text_messages_kcount"];

/**
 * What the package has for a vendor's model, looked up by the vendor's address, else
 * by its id. Undefined: it does not know the model, or has no price for its input; one
 * that has a price for nothing else embeds. Its data comes with it: nothing is fetched.
 * It is loaded when it is first asked.
 */
export function findBundledModelPrice(
  vendor: { readonly id: string; readonly baseUrl: string | undefined },
  model: string,
  now: Date,
): BundledModelPrice | undefined {
  const prices = load(packageName) as typeof genaiPrices;
  const provider = providerOf(prices, vendor);
  if (provider === undefined) return undefined;
  const found = highestRateOfDay(prices, provider, model, now);
  if (found === null || otherUnits.some((unit) => found.model_price[unit] !== undefined)) {
    return undefined;
  }
  const rates = ratesAt(found.model_price, 0);
  if (rates === undefined) return undefined;
  const tiers = tiersOf(found.model_price);
  const source = `${packageName} ${packageVersion()} (${provider.id} ${found.model.id})`;
  const price = { ...rates, ...(tiers.length > 0 && { tiers }), source };
  return { price, contextWindow: found.model.context_window };
}

function providerOf(
  { findProvider }: typeof genaiPrices,
  { id, baseUrl }: { readonly id: string; readonly baseUrl: string | undefined },
): genaiPrices.Provider | undefined {
  const byAddress = baseUrl === undefined ? undefined : findProvider({ providerApiUrl: baseUrl });
  if (byAddress !== undefined) return byAddress;
  const byId = findProvider({ providerId: idsThere.get(id) ?? id });
  // It also finds what is merely like an id.
  return byId?.id === (idsThere.get(id) ?? id) ? byId : undefined;
}

/** Built-in vendors that the package knows by another id. */
const idsThere = recordToMap<string>({ moonshot: "moonshotai", xai: "x-ai" });

/** Some vendors charge by the time of day: then the highest price of the day counts. */
function highestRateOfDay(
  { calcPrice }: typeof genaiPrices,
  provider: genaiPrices.Provider,
  model: string,
  now: Date,
): genaiPrices.PriceCalculation | null {
  const at = (timestamp: Date): genaiPrices.PriceCalculation | null =>
    calcPrice({ input_tokens: 1, output_tokens: 1 }, model, { provider, timestamp });
  const present = at(now);
  if (present === null || !changesInTheDay(present.model)) return present;
  const halfHours = Array.from({ length: 48 }, (_, index) => index * 30 * 60_000);
  return halfHours
    .map((later) => at(new Date(now.getTime() + later)))
    .reduce((dearest, other) => (costOf(other) > costOf(dearest) ? other : dearest), present);
}

function changesInTheDay({ prices }: genaiPrices.ModelInfo): boolean {
  return (
    Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === "time_of_date")
  );
}

function costOf(found: genaiPrices.PriceCalculation | null): number {
  return found?.total_price ?? 0;
}

/** The package's tiers begin above so many input tokens, and hold for all tokens of the call. */
function tiersOf(rates: PackageRates): ModelPriceTier[] {
  const starts = Object.values(rates).flatMap((rate) =>
    typeof rate === "object" ? rate.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)]
    .toSorted((one, other) => one - other)
    .flatMap((start) => {
      const above = ratesAt(rates, start + 1);
      return above === undefined ? [] : [{ aboveInputTokens: start, ...above }];
    });
}

function ratesAt(rates: PackageRates, inputTokens: number): ModelTokenPrices | undefined {
  const rate = (unit: string): number | undefined => rateAt(rates[unit], inputTokens);
  const inputUsdPerMtok = rate("input_mtok");
  if (inputUsdPerMtok === undefined) return undefined;
  return {
    inputUsdPerMtok,
    outputUsdPerMtok: rate("output_mtok"),
    cachedInputUsdPerMtok: rate("cache_read_mtok"),
    cacheWriteUsdPerMtok: rate("cache_write_mtok"),
  };
}

function rateAt(
  rate: number | genaiPrices.TieredPrices | undefined,
  inputTokens: number,
): number | undefined {
  if (typeof rate !== "object") return rate;
  return rate.tiers.findLast(({ start }) => inputTokens > start)?.price ?? rate.base;
}

function packageVersion(): string {
  const manifest = join(dirname(load.resolve(packageName)), "..", "package.json");
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
