import { setTimeout as delay } from "node:timers/promises";
import type { StallingProxy } from "../support/stalling-proxy.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import type { SoakUpstream } from "./fake-upstream.ts";

/** How long the database is away. */
const absenceMs = 10_000;

/** How long an upstream is away at most. */
const outageMs = 4000;

/** Kills upstreams, one after the other, and starts them again, until it is told to stop. */
export async function injectUpstreamFaults(
  upstreams: readonly SoakUpstream[],
  random: SeededRandom,
  signal: AbortSignal,
): Promise<number> {
  let outages = 0;
  for (;;) {
    await delay(random.between(5000, 20_000), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return outages;
    const upstream = random.pick(upstreams);
    await upstream.goAway();
    await delay(random.between(0, outageMs));
    await upstream.comeBack();
    outages += 1;
  }
}

/** The database is away twice, a third and two thirds of the time in: first it refuses, then it hangs. */
export async function injectDatabaseFaults(
  proxy: StallingProxy,
  milliseconds: number,
): Promise<void> {
  const third = milliseconds / 3;
  await delay(third);
  await proxy.refuse();
  await delay(absenceMs);
  await proxy.accept();
  await delay(third - absenceMs);
  proxy.freeze();
  await delay(absenceMs);
  proxy.thaw();
}
