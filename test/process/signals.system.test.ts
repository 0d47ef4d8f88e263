import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CausewayProcess, type CausewayOptions } from "../support/causeway-process.ts";
import { newDataDirectory, removeDataDirectory } from "../support/data-directory.ts";
import {
  dataDirectoryForTest,
  databaseProcessOf,
  startServerForTest,
} from "../support/server-process.ts";
import { waitUntil } from "../support/wait-until.ts";
import { openStream, registerUpstream, startEndlessUpstream } from "./support/streaming-caller.ts";

vi.setConfig({ testTimeout: 120_000 });

/** One after the other on one database, which the next start finds as the last one left it. */
let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await newDataDirectory();
});
afterAll(() => removeDataDirectory(dataDirectory));

const throughNpm: CausewayOptions = { command: ["npm", "start"] };

/** Ways in which people and supervisors stop a server. */
const stops: readonly [string, CausewayOptions, (child: CausewayProcess) => void][] = [
  ["SIGTERM to the server alone", {}, (child) => child.signal("SIGTERM")],
  ["SIGTERM to npm alone", throughNpm, (child) => child.signal("SIGTERM")],
  ["SIGTERM to the whole group", throughNpm, (child) => child.signalGroup("SIGTERM")],
  ["Ctrl-C, which npm passes on too", throughNpm, (child) => child.signalGroup("SIGINT")],
];

describe.each(stops)("%s", (_name, options, stop) => {
  it("[start.database-group] [start.readyz] [start.npm-signal] [start.npm] [start.drain] drains a stream, refuses what is new, and stops the database last", async () => {
    const words = options.command === undefined ? ["serve"] : [];
    const server = await startServerForTest({ ...options, words, dataDirectory });
    const upstream = await startEndlessUpstream();
    const user = await server.createUser();
    const model = await registerUpstream(server.call, user, upstream);
    const stream = await openStream(server.url, (await user.createKey()).secret, model);
    const database = await databaseProcessOf(dataDirectory);
    expect(database).toBeGreaterThan(0);

    stop(server.process);
    expect(await readinessUntilRefused(server.url)).toContain(503);
    expect(await databaseProcessOf(dataDirectory)).toBe(database);
    expect(server.process.hasExited).toBe(false);
    upstream.finish("dialect_chat");

    expect(await stream.text).toMatch(/\n\ndata: \[DONE\]\n\n$/);
    expect(await server.process.ended()).toMatchObject({ code: 0 });
    expect(await databaseProcessOf(dataDirectory)).toBeUndefined();
  });
});

it("ends a start that is under way in order", async () => {
  const directory = await dataDirectoryForTest();
  const child = CausewayProcess.start(["serve"], {
    environment: { CAUSEWAY_DATA_DIR: directory, CAUSEWAY_PORT: "0", CAUSEWAY_TOOLS_PORT: "0" },
  });
  await waitUntil(async () => (await databaseProcessOf(directory)) !== undefined, 60_000);
  child.signal("SIGTERM");
  expect(await child.ended()).toMatchObject({ code: 0, stdout: "" });
  expect(await databaseProcessOf(directory)).toBeUndefined();
});

/** Asked side by side: on a busy machine one answer takes longer than the notice is given. */
const askers = 4;

/** What `/readyz` says on new connections until they are refused. */
async function readinessUntilRefused(url: string): Promise<number[]> {
  return (await Promise.all(Array.from({ length: askers }, () => askUntilRefused(url)))).flat();
}

async function askUntilRefused(url: string): Promise<number[]> {
  const seen: number[] = [];
  for (;;) {
    const status = await fetch(`${url}/readyz`, { headers: { connection: "close" } }).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === undefined) return seen;
    if (status !== seen.at(-1)) seen.push(status);
    await delay(10);
  }
}
