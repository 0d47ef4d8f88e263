import type { SoakUpstream } from "./fake-upstream.ts";

/** Out of the way: buckets are taken from, and never empty. */
const limits = { requests_per_minute: 100_000_000, burst: 1_000_000 };

/** A dollar a million tokens in, two out. */
const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };

/**
 * The configuration file of a run. For each dialect there are a vendor `own-…`,
 * which callers link credentials to, and a model `sold-…`, paid from the wallet.
 */
export function configurationFor(upstreams: readonly SoakUpstream[]): object {
  const vendors = upstreams.flatMap((upstream) => [
    [`own-${upstream.wire.name}`, vendorOf(upstream)],
    [`shop-${upstream.wire.name}`, vendorOf(upstream)],
  ]);
  const keys = upstreams.map(({ wire }) => [`shop-${wire.name}`, "operator-key"]);
  const catalog = upstreams.map(({ wire: { name } }) => ({
    id: `sold-${name}`,
    vendor: `shop-${name}`,
    model: "m",
    ...prices,
  }));
  return {
    limits,
    vendors: Object.fromEntries(vendors),
    credits: { keys: Object.fromEntries(keys), catalog },
  };
}

function vendorOf({ wire: { name }, baseUrl }: SoakUpstream): object {
  const auth = name === "messages" ? "x-api-key" : "bearer";
  return { label: name, base_url: baseUrl, dialects: [`dialect_${name}`], auth, models: ["m"] };
}
