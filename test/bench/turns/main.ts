/**
 * `npm run bench:turns`: what an answer in the background costs beside the same call without:
 * statements, milliseconds, bytes, and what an idle process asks. `--show` prints the
 * statements. These are figures and no test: it fails only where something does not work.
 */
import { readNumbers } from "../../soak/options.ts";
import { describeMachine, machineLine } from "../report/machine.ts";
import { markdown, type Table } from "../report/table.ts";
import { idleTable } from "./idle.ts";
import { sizeTable } from "./sizes.ts";
import { statementTable } from "./statements.ts";
import { stepTable } from "./steps.ts";
import { timeTable } from "./times.ts";
import { waitingTable } from "./waiting.ts";
import { withTurnEnvironment } from "./turn-environment.ts";

const words = process.argv.slice(2);
const shows = words.includes("--show");
const numbers = readNumbers(
  words.filter((word) => word !== "--show"),
  {
    rounds: { otherwise: 100, most: 10_000 },
    seconds: { otherwise: 60, most: 3600 },
    turns: { otherwise: 40, most: 90 },
    waiting: { otherwise: 1000, most: 100_000 },
  },
);
const show = (text: string): void => void (shows && console.log(text));
const print = (table: Table): void => console.log(`\n${markdown(table)}`);

await withTurnEnvironment(async (stage) => {
  console.log(machineLine(describeMachine()));
  print(await statementTable(stage, 5, show));
  print(await stepTable(stage.connectionString, 15));
  print(await timeTable(stage, numbers.rounds));
  print(await idleTable(stage, numbers.seconds));
  print(await sizeTable(stage, numbers.turns));
  print(await waitingTable(stage, numbers.waiting));
});
