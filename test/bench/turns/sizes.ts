import { setTimeout as delay } from "node:timers/promises";
import { selectRows } from "../../support/select-rows.ts";
import { figure } from "../report/figure.ts";
import { tableOf, type Table } from "../report/table.ts";
import type { ScriptedOutput } from "./scripted-upstream.ts";
import { TurnClient } from "./turn-client.ts";
import type { TurnEnvironment } from "./turn-environment.ts";

interface Size {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
}

const tables = [
  "turns",
  "turn_batches",
  "kept_responses",
  "absurd.t_turns",
  "absurd.r_turns",
  "absurd.c_turns",
];

/** An answer of some 700 words in 14 seconds. */
const speech: ScriptedOutput = { words: 700, every: 20 };

/** Rows and bytes that answers leave behind, indexes included. */
export async function sizeTable(stage: TurnEnvironment, turns: number): Promise<Table> {
  const server = await stage.startProcess();
  const client = new TurnClient(server, await stage.openAccount(server));
  await selectRows(stage.connectionString, `truncate ${tables.join(", ")} cascade`);
  await Promise.all(Array.from({ length: turns }, () => client.ended(speech)));
  await delay(1000);
  const sizes: Size[] = [];
  for (const table of tables) sizes.push(await sizeOf(stage.connectionString, table));
  await server.stop();
  return tableOf(
    "What an answer leaves in the database",
    `${turns} answers of ${speech.words} words, one each ${speech.every} ms; indexes and dead rows included.`,
    [
      { heading: "table", cell: ({ table }) => table },
      { heading: "rows a turn", cell: ({ rows }) => figure(rows / turns, 1) },
      { heading: "KB a turn", cell: ({ bytes }) => figure(bytes / turns / 1000, 1) },
    ],
    sizes,
  );
}

async function sizeOf(connectionString: string, table: string): Promise<Size> {
  const sql = `select count(*)::int as "rows", pg_total_relation_size('${table}')::float8 as "bytes" from ${table}`;
  const [row] = await selectRows(connectionString, sql);
  return { table, rows: Number(row?.["rows"]), bytes: Number(row?.["bytes"]) };
}
