import { setTimeout as delay } from "node:timers/promises";
import { figure } from "../report/figure.ts";
import { tableOf, type Table } from "../report/table.ts";
import { cpuTime } from "../running/cpu-time.ts";
import type { ScriptedOutput } from "./scripted-upstream.ts";
import { TurnClient } from "./turn-client.ts";
import type { TurnServer, TurnEnvironment } from "./turn-environment.ts";

/** What a process asks of turns, and takes of a core, while it has nothing to do. */
interface Idle {
  readonly what: string;
  readonly statements: number;
  readonly core: number | undefined;
}

/** Speaks for as long as an idle process is looked at. */
const endless: ScriptedOutput = { words: 100_000, every: 100 };

/** Statements a second of an idle process, which is this one, and the share of a core that one of its own takes. */
export async function idleTable(stage: TurnEnvironment, seconds: number): Promise<Table> {
  const heard: string[] = [];
  const runner = await stage.startProcess();
  const client = new TurnClient(runner, await stage.openAccount(runner));
  const rows: Idle[] = [];
  const look = async (what: string, idler: TurnServer): Promise<void> => {
    heard.length = 0;
    const before = cpuTime([idler.pid]);
    await delay(seconds * 1000);
    const after = cpuTime([idler.pid]);
    const core =
      before === undefined || after === undefined ? undefined : (after - before) / 1e6 / seconds;
    rows.push({ what, statements: heard.filter(isOfTurns).length / seconds, core });
  };
  const here = await stage.startHere((sql) => void heard.push(sql));
  // It sleeps before the turn begins, which it then has to hear of.
  await delay(5000);
  const turn = await client.begin(endless);
  await delay(500);
  await look("while another process runs a turn", runner);
  await client.cancel(turn);
  // The lease that it knows of runs out first, and what the work before took is given back.
  await delay(20_000);
  await look("while nothing runs anywhere", runner);
  await Promise.all([here.stop(), runner.stop()]);
  return tableOf(
    "Idle",
    `Over ${seconds} s. Statements are those about turns of an idle process; the core is that of the other, which runs the turn.`,
    [
      { heading: "what", cell: ({ what }) => what },
      { heading: "statements a second", cell: ({ statements }) => figure(statements, 2) },
      {
        heading: "% of a core",
        cell: ({ core }) => figure(core === undefined ? core : core * 100, 2),
      },
    ],
    rows,
  );
}

function isOfTurns(sql: string): boolean {
  return /absurd|causeway_take|turns"/.test(sql);
}
