import { dialectNames } from "../dialects/all-samples.ts";
import { vendorOf } from "./world.ts";

/**
 * The configuration file of a server under test: all that it may dial is on loopback, and the
 * limits that would answer in place of what is tried are far away.
 */
export function serverSettings(upstreamOrigin: string, packageSources: object): object {
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
  return {
    vendors: Object.fromEntries(vendors),
    ...packageSources,
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
