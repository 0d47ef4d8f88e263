/** `npm run soak`: mixed calls for half an hour while everything around the server fails in turn. */
import { describeMachine, machineLine } from "../bench/report/machine.ts";
import { readNumbers } from "./options.ts";
import { reportAndExit } from "./report/report-and-exit.ts";
import { runSoak } from "./run-soak.ts";

await reportAndExit("soak", (say) => {
  const numbers = readNumbers(process.argv.slice(2), {
    minutes: { otherwise: 30, most: 24 * 60 },
    callers: { otherwise: 24, most: 256 },
    seed: { otherwise: 1, most: 2 ** 31 },
  });
  const { minutes, callers, seed } = numbers;
  say(`${machineLine(describeMachine())}; ${minutes} minutes, ${callers} callers, seed ${seed}.`);
  return runSoak({ ...numbers, say });
});
