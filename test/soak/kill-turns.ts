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
  const { broken, turns, toolCalls, takeoversMs, idleTakeoversMs } = outcome;
  say(`${turns} turns, ${figures(takeoversMs)}`);
  say(`of them from the only process that was not idle, ${figures(idleTakeoversMs)}`);
  if (agents) say(`${toolCalls} calls of tools`);
  return broken;
});

/** `waitsMs`: in order. */
function figures(waitsMs: readonly number[]): string {
  const at = (share: number): string =>
    (waitsMs[Math.floor(share * (waitsMs.length - 1))] ?? Number.NaN).toFixed(0);
  const shares = `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
  return `${waitsMs.length} taken over: ${shares}`;
}
