import { dialectNames } from "../dialects/all-samples.ts";
import { vendorOf } from "./world.ts";

const registries = ["npm", "pypi", "cargo", "rubygems", "go", "maven", "nuget", "packagist"];
const sources = ["osv", "depsdev", "ecosystems", "github", "gitlab", "forgejo", "endoflife"];

/**
 * The configuration file of a server under test: all that it may dial is the upstream double, and
 * the limits that would answer in place of what is tried are far away.
 */
export function serverSettings(upstreamOrigin: string): object {
  const vendors = dialectNames.map((dialect) => [
    vendorOf[dialect],
    {
      label: dialect,
      base_url: `${upstreamOrigin}/v1`,
      dialects: [dialect],
      auth: "bearer",
      models: ["m"],
    },
  ]);
  const addresses = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `${upstreamOrigin}/${name}`]));
  return {
    vendors: Object.fromEntries(vendors),
    registries: addresses(registries),
    sources: addresses(sources),
    limits: {
      requests_per_minute: 100_000_000,
      burst: 1_000_000,
      tools_requests_per_minute: 100_000_000,
      tools_burst: 1_000_000,
      connect_ms: 1000,
      first_byte_ms: 1000,
      idle_ms: 1000,
      shed_loop_delay_ms: 0,
    },
  };
}
