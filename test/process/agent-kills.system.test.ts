import { expect, test } from "vitest";
import { runTurnKills } from "../soak/turns/run-turn-kills.ts";

/** A few of what `npm run kills:turns -- --agents` does. */
const kills = 10;

test("[agent.resumed] agents' turns outlive processes that are killed, and what must not be called twice is called once at most", async () => {
  const outcome = await runTurnKills({ kills, seed: 2, agents: true, say: () => undefined });
  expect(outcome.broken).toEqual([]);
  expect(outcome.toolCalls).toBeGreaterThan(outcome.turns);
}, 600_000);
