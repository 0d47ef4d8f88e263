/**
 * `npm run kills:turns`: kills processes at random instants while they make answers in the
 * background; with `--agents` those of agents, whose tools count their calls.
 */
import { readNumbers } from "./options.ts";
import { reportAndExit } from "./report/report-and-exit.ts";
import { runTurnKills } from "./turns/run-turn-kills.ts";

const agentsWord = "--agents";

await reportAndExit("kills:turns", async (say) => {
  const words = process.argv.slice(2);
  const agents = words.includes(agentsWord);
  const given = words.filter((word) => word !== agentsWord);
  const numbers = readNumbers(given, {
    kills: { otherwise: 500, most: 5000 },
    seed: { otherwise: 1, most: 2 ** 31 },
  });
  say(`${numbers.kills} kills, seed ${numbers.seed}.`);
  const outcome = await runTurnKills({ ...numbers, agents, say });
  const { broken, turns, toolCalls, takeoversMs } = outcome;
  const at = (share: number): string =>
    (takeoversMs[Math.floor(share * (takeoversMs.length - 1))] ?? Number.NaN).toFixed(0);
  say(`${turns} turns, ${takeoversMs.length} taken over: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  if (agents) say(`${toolCalls} calls of tools`);
  return broken;
});
