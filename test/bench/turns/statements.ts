import { setTimeout as delay } from "node:timers/promises";
import { figure } from "../report/figure.ts";
import { tableOf, type Table } from "../report/table.ts";
import { median } from "../statistics.ts";
import type { ScriptedOutput } from "./scripted-upstream.ts";
import { TurnClient } from "./turn-client.ts";
import type { TurnEnvironment } from "./turn-environment.ts";

/** Statements of one piece of work. */
interface Counted {
  readonly what: string;
  /** Of all of it, those of batches and of the clock left out. */
  readonly statements: number;
  /** One each. */
  readonly batches: number;
}

const speech: ScriptedOutput = { words: 12, every: 60 };

/** After the answer: what a call leaves behind is written by then. */
const settleMs = 700;

/** What runs by the clock, whatever runs: leases, and the look for those that ran out. */
const byTheClock = ['with "held" as', "json_array_elements_text(?", '"available_at"'];

/** Counts the statements of turns, in this process. */
export async function statementTable(
  stage: TurnEnvironment,
  rounds: number,
  show: (text: string) => void,
): Promise<Table> {
  const heard: string[] = [];
  const server = await stage.startHere((sql) => void heard.push(sql));
  const client = new TurnClient(server, await stage.openAccount(server));
  const kinds: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["in the background, polled once it has ended", () => ended(client, speech)],
    ["in the background, followed", () => client.whole({ background: true, stream: true }, speech)],
    ["polled, one call made again", () => ended(client, { ...speech, failures: 1 })],
    ["polled, two calls made again", () => ended(client, { ...speech, failures: 2 })],
  ];
  const counted: Counted[] = [];
  for (const [what, work] of kinds) {
    await work();
    await delay(settleMs);
    const rows: Omit<Counted, "what">[] = [];
    for (let round = 0; round < rounds; round += 1) {
      heard.length = 0;
      await work();
      await delay(settleMs);
      rows.push(count(heard));
    }
    show(`\n${what}:\n${heard.map(shortened).join("\n")}`);
    counted.push({
      what,
      statements: median(rows.map(({ statements }) => statements)) ?? 0,
      batches: median(rows.map(({ batches }) => batches)) ?? 0,
    });
  }
  await server.stop();
  return tableOf(
    "Statements of an answer",
    `Twelve words, one each 60 ms, on an own credential, begin and commit counted; median of ${rounds}. Left out is what runs by the clock.`,
    [
      { heading: "what", cell: ({ what }) => what },
      { heading: "batches, one each", cell: ({ batches }) => figure(batches, 0) },
      { heading: "other statements", cell: ({ statements }) => figure(statements, 0) },
    ],
    counted,
  );
}

/** One look at its end: it takes as long as it speaks, and as its calls are paused for. */
async function ended(client: TurnClient, asked: ScriptedOutput): Promise<void> {
  const { words, every, failures = 0 } = asked;
  await client.begin(asked);
  await delay(words * every + failures * 600 + settleMs);
}

function count(heard: readonly string[]): Omit<Counted, "what"> {
  const own = heard.filter((sql) => !byTheClock.some((mark) => sql.includes(mark)));
  const batches = own.filter((sql) => sql.includes("causeway_append_turn")).length;
  return { batches, statements: own.length - batches };
}

function shortened(sql: string): string {
  return sql.replaceAll(/\s+/g, " ").slice(0, 140);
}
