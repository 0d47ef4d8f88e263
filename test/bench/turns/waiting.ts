import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { figure } from "../report/figure.ts";
import { tableOf, type Table } from "../report/table.ts";
import { residentMemory } from "../running/resident-memory.ts";
import { TurnClient } from "./turn-client.ts";
import type { TurnStage } from "./turn-stage.ts";

/** What a process has at one moment. */
interface Moment {
  readonly what: string;
  readonly mebibytes: number | undefined;
  /** Of the heap in use, which nothing keeps but what is needed: it was collected in the rest. */
  readonly heapMebibytes: number;
  readonly descriptors: number;
}

/** Turns that a process has ended before it is looked at: its code is compiled, its pools are full. */
const warmUps = 3000;

/** Callers side by side. */
const callers = 16;

/** Longer than any cache of a call, and than the pause after which memory is given back. */
const restMs = 15_000;

/** What agents' turns take of a process that have asked their callers for a tool's result. */
export async function waitingTable(stage: TurnStage, turns: number): Promise<Table> {
  const server = await stage.startProcess();
  const client = new TurnClient(server, await stage.openAccount(server));
  const look = async (what: string): Promise<Moment> => {
    await delay(restMs);
    const descriptors = readdirSync(`/proc/${server.pid}/fd`).length;
    const mebibytes = residentMemory([server.pid]);
    return { what, mebibytes, heapMebibytes: await heapInUse(server.url), descriptors };
  };
  await askMany(client, warmUps);
  const before = await look(`before, after ${warmUps} of them`);
  await askMany(client, turns);
  const after = await look(`with ${turns} more that wait`);
  await server.stop();
  return tableOf(
    "Turns that wait for a tool's result",
    `Of one process, ${restMs / 1000} s after the last of them.`,
    [
      { heading: "when", cell: ({ what }) => what },
      { heading: "MiB resident", cell: ({ mebibytes }) => figure(mebibytes, 1) },
      { heading: "MiB of heap in use", cell: ({ heapMebibytes }) => figure(heapMebibytes, 1) },
      { heading: "open descriptors", cell: ({ descriptors }) => figure(descriptors, 0) },
    ],
    [before, after],
  );
}

/** As the process itself says it. */
async function heapInUse(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [, bytes] = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics) ?? [];
  return Number(bytes) / 2 ** 20;
}

async function askMany(client: TurnClient, turns: number): Promise<void> {
  let left = turns;
  const ask = async (): Promise<void> => {
    while (left-- > 0) await client.waiting();
  };
  await Promise.all(Array.from({ length: callers }, ask));
}
