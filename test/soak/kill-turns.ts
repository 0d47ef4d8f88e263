/** `npm run kills:turns`: kills processes at random instants while they make answers in the background. */
import { readNumbers } from "./options.ts";
import { reportAndExit } from "./report/report-and-exit.ts";
import { runTurnKills } from "./turns/run-turn-kills.ts";

await reportAndExit("kills:turns", async (say) => {
  const numbers = readNumbers(process.argv.slice(2), {
    kills: { otherwise: 500, most: 5000 },
    seed: { otherwise: 1, most: 2 ** 31 },
  });
  say(`${numbers.kills} kills, seed ${numbers.seed}.`);
  const { broken, turns, takeoversMs } = await runTurnKills({ ...numbers, say });
  const at = (share: number): string =>
    (takeoversMs[Math.floor(share * (takeoversMs.length - 1))] ?? Number.NaN).toFixed(0);
  say(`${turns} turns, ${takeoversMs.length} taken over: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  return broken;
});
