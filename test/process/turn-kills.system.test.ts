import { expect, test } from "vitest";
import { runTurnKills } from "../soak/turns/run-turn-kills.ts";

/** A few of what `npm run kills:turns` does. */
const kills = 20;

test("[turns.prefix] answers in the background outlive processes that are killed and stay dead", async () => {
  const outcome = await runTurnKills({ kills, seed: 1, agents: false, say: () => undefined });
  expect(outcome.broken).toEqual([]);
  expect(outcome.takeoversMs.length).toBeGreaterThan(0);
  // A promise of the installation, not a measurement: take-over takes a lease, 3 s.
  expect(outcome.takeoversMs.at(-1)).toBeLessThan(10_000);
  expect(outcome.idleTakeoversMs.length).toBeGreaterThan(0);
}, 300_000);
