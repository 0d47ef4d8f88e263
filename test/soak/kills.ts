/** `npm run kills`: kills the server under load, many times, and reads the books each time. */
import { readNumbers } from "./options.ts";
import { reportAndExit } from "./report/report-and-exit.ts";
import { runKills } from "./run-kills.ts";

await reportAndExit("kills", (say) => {
  const numbers = readNumbers(process.argv.slice(2), {
    kills: { otherwise: 50, most: 1000 },
    callers: { otherwise: 24, most: 256 },
    seed: { otherwise: 1, most: 2 ** 31 },
  });
  say(`${numbers.kills} kills, ${numbers.callers} callers, seed ${numbers.seed}.`);
  return runKills({ ...numbers, callsOfLife: 300, sweepEvery: 5, say });
});
