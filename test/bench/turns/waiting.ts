import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { figure } from "../report/figure.ts";
import { tableOf, type Table } from "../report/table.ts";
import { TurnClient } from "./turn-client.ts";
import type { TurnEnvironment } from "./turn-environment.ts";

/** What a process has at one moment, all garbage collected. */
interface Moment {
  readonly what: string;
  readonly heapMebibytes: number;
  readonly timers: number;
  readonly descriptors: number;
}

/** Turns that a process has ended before it is looked at: its code is compiled, its pools are full. */
const warmUps = 1000;

/** Callers side by side. */
const callers = 8;

/** Longer than any cache of a call. */
const restMs = 6000;

/** What agents' turns take of this process that have asked their callers for a tool's result. */
export async function waitingTable(stage: TurnEnvironment, turns: number): Promise<Table> {
  const server = await stage.startHere(() => undefined);
  const client = new TurnClient(server, await stage.openAccount(server));
  const look = async (what: string): Promise<Moment> => {
    // What the upstream of the bench remembers is not the server's.
    stage.upstream.requests.length = 0;
    await delay(restMs);
    const { heapUsed, external } = collected();
    const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const descriptors = readdirSync("/proc/self/fd").length;
    return { what, heapMebibytes: (heapUsed + external) / 2 ** 20, timers, descriptors };
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
      { heading: "MiB of heap", cell: ({ heapMebibytes }) => figure(heapMebibytes, 1) },
      { heading: "timers", cell: ({ timers }) => figure(timers, 0) },
      { heading: "open descriptors", cell: ({ descriptors }) => figure(descriptors, 0) },
    ],
    [before, after],
  );
}

/** Several collections: what a first one finalizes, a later one frees. */
function collected(): NodeJS.MemoryUsage {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let time = 0; time < 5; time += 1) collect();
  return process.memoryUsage();
}

async function askMany(client: TurnClient, turns: number): Promise<void> {
  let left = turns;
  const ask = async (): Promise<void> => {
    while (left-- > 0) await client.waiting();
  };
  await Promise.all(Array.from({ length: callers }, ask));
}
