import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { runCauseway, type CausewayOptions } from "../support/causeway-process.ts";
import { newDataDirectory, removeDataDirectory } from "../support/data-directory.ts";
import {
  dataDirectoryForTest,
  databaseProcessOf,
  startServerForTest,
  type ServerProcess,
} from "../support/server-process.ts";
import {
  openStream,
  registerUpstream,
  startEndlessUpstream,
  type EndlessUpstream,
  type OpenStream,
} from "./support/streaming-caller.ts";
import { getOnSameConnection, outputOf, workerPids } from "./support/workers.ts";

vi.setConfig({ testTimeout: 120_000 });

/** One after the other on one embedded database. */
let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await newDataDirectory();
});
afterAll(() => removeDataDirectory(dataDirectory));

const environment = { CAUSEWAY_WORKERS: "2" };

/** A server with a stream in each gateway. */
async function startStreaming(options: CausewayOptions = {}): Promise<{
  server: ServerProcess;
  upstream: EndlessUpstream;
  streams: OpenStream[];
}> {
  const words = options.command === undefined ? ["serve"] : [];
  const server = await startServerForTest({
    ...options,
    words,
    dataDirectory,
    environment: { ...environment, ...options.environment },
  });
  const upstream = await startEndlessUpstream();
  const user = await server.createUser();
  const model = await registerUpstream(server.call, user, upstream);
  const { secret } = await user.createKey();
  // New connections go to the gateways in turn; the first stream may take one that is open.
  const streams: OpenStream[] = [];
  while (streams.length < 3) streams.push(await openStream(server.url, secret, model));
  return { server, upstream, streams };
}

async function finish(upstream: EndlessUpstream, streams: readonly OpenStream[]): Promise<void> {
  for (const index of upstream.open.keys()) upstream.finish("dialect_chat", index);
  for (const { text } of streams) expect(await text).toMatch(/\n\ndata: \[DONE\]\n\n$/);
}

/** Asks on new connections, which go to the gateways in turn, until they are refused. */
async function askUntilRefused(url: string): Promise<void> {
  while ((await getOnSameConnection(`${url}/readyz`).catch(() => undefined)) !== undefined);
}

/** Workers whose `/readyz` said that they take no more. */
function unreadyWorkers(log: string): Set<string | undefined> {
  const lines = log.matchAll(/"worker":(\d+).*"route":"\/readyz","status":503/g);
  return new Set([...lines].map(([, worker]) => worker));
}

const throughNpm: CausewayOptions = { command: ["npm", "start"] };

const stops: readonly [string, CausewayOptions, (server: ServerProcess) => void][] = [
  ["SIGTERM to the primary alone", {}, ({ process }) => process.signal("SIGTERM")],
  [
    "Ctrl-C, which npm passes on too",
    throughNpm,
    ({ process }) => {
      process.signalGroup("SIGINT");
      process.signalGroup("SIGINT");
    },
  ],
];

describe.each(stops)("%s", (_name, options, stop) => {
  it("[environment.workers] drains the streams of every worker and stops the database last", async () => {
    const isFirstStart = (await databaseFiles()) === 0;
    const { server, upstream, streams } = await startStreaming(options);
    const database = await databaseProcessOf(dataDirectory);
    expect(database).toBeGreaterThan(0);

    stop(server);
    await askUntilRefused(server.url);
    expect(await databaseProcessOf(dataDirectory)).toBe(database);
    expect(server.process.hasExited).toBe(false);
    await finish(upstream, streams);

    // It counts as ended when nobody has its output any more: every worker is gone.
    const { code, stdout, stderr } = await server.process.ended();
    expect(code).toBe(0);
    expect(stderr.match(/"worker":\d+,"msg":"stopped"/g)).toHaveLength(3);
    expect(unreadyWorkers(stderr)).toEqual(new Set(["1", "2"]));
    expect(stdout.match(/ready http/g)).toHaveLength(2);
    expect(stdout.match(/curl /g) ?? []).toHaveLength(isFirstStart ? 1 : 0);
    expect(await databaseProcessOf(dataDirectory)).toBeUndefined();
  });
});

it("[environment.workers] kill -9 of the primary: the workers drain, end, and leave no database running", async () => {
  const { server, upstream, streams } = await startStreaming();
  const pids = [...workerPids(server.process).values()];
  server.process.signal("SIGKILL");
  await server.process.logLine(/"signal":"the primary is gone"/);
  await finish(upstream, streams);
  expect(await server.process.ended()).toMatchObject({ signal: "SIGKILL" });
  for (const pid of pids) expect(outputOf(pid)).toEqual([]);
  expect(await databaseProcessOf(dataDirectory)).toBeUndefined();
});

it("ends everything at once at a second signal a second later", async () => {
  const { server, streams } = await startStreaming();
  server.process.signal("SIGTERM");
  await server.process.logLine(/"draining"/);
  await delay(1100);
  expect(server.process.hasExited).toBe(false);
  server.process.signal("SIGTERM");
  expect(await server.process.ended(5000)).toMatchObject({ code: 1, signal: undefined });
  for (const { text } of streams) expect(await text).toContain("[cut: ");
});

describe("a start that fails", () => {
  const start = async (settings: Readonly<Record<string, string>>, words = ["serve"]) => {
    const ports = { CAUSEWAY_PORT: "0", CAUSEWAY_TOOLS_PORT: "0" };
    const directory = { CAUSEWAY_DATA_DIR: await dataDirectoryForTest() };
    const all = { ...environment, ...ports, ...directory, ...settings };
    const { code, stdout, stderr } = await runCauseway(words, { environment: all });
    return { code, stdout, stderr };
  };
  const refusal = (code: number, line: string) => ({
    code,
    stdout: "",
    stderr: `causeway: ${line}\n`,
  });

  it("in the primary: a port in use is told once, before anything is made", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    expect(await start({ CAUSEWAY_TOOLS_PORT: String(port) })).toEqual(
      refusal(
        1,
        `CAUSEWAY_TOOLS_PORT: port ${port} on 127.0.0.1 is in use; stop what uses it, set another port, or 0 for any free one.`,
      ),
    );
  });

  it("in the first worker: its line and its exit code are those of the whole", async () => {
    expect(await start({ CAUSEWAY_UPSTREAM_ALLOW: "nonsense" })).toEqual(
      refusal(
        78,
        'CAUSEWAY_UPSTREAM_ALLOW: the entry "nonsense" must be host-or-CIDR:port, for example 127.0.0.1:11434, [::1]:* or 10.20.0.0/16:8000',
      ),
    );
  });

  it.each(["0", "two", "1.5", "257"])("CAUSEWAY_WORKERS=%s", async (workers) => {
    expect(await start({ CAUSEWAY_WORKERS: workers })).toEqual(
      refusal(78, "CAUSEWAY_WORKERS: must be auto or a whole number from 1 to 256"),
    );
  });

  it("below another Node cluster, which would not know of the ports", async () => {
    const { code, stderr } = await start({ NODE_UNIQUE_ID: "1" });
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: expect.stringMatching(/^causeway: CAUSEWAY_WORKERS: must be 1 in .*\n$/),
    });
  });

  it("a worker without its primary", async () => {
    expect(await start({}, ["worker"])).toEqual(
      refusal(78, "worker: is started by `causeway serve` alone"),
    );
  });
});

/** Nothing before the first start. */
async function databaseFiles(): Promise<number> {
  return (await readdir(dataDirectory)).length;
}
