import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { residentMemory } from "../bench/running/resident-memory.ts";
import { openSocket, type SocketClient } from "../gateway/websocket/socket-client.ts";
import { fakeModel } from "../conformance/fake-model.ts";
import { program, programPath } from "../support/causeway-process.ts";
import { startFakeUpstream } from "../support/fake-upstream.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";
import { workerPids } from "./support/workers.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let database: TestDatabase;
let server: ServerProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({
    databaseUrl: database.connectionString,
    command: [program],
    environment: { CAUSEWAY_WORKERS: "2", PATH: programPath },
  });
});

afterAll(async () => {
  await server.end();
  await database.drop();
});

const model = "custom/box/m";

/** A key of a new account with an endpoint, which obeys. */
async function caller(): Promise<string> {
  const upstream = await startFakeUpstream(fakeModel);
  const user = await server.createUser();
  const about = { label: "Box", base_url: `${upstream.origin}/v1`, api_key: "k", models: ["m"] };
  const body = { ...about, dialect: "dialect_chat" };
  const made = await server.call("POST", "/v1/upstreams", { token: user.session, body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return (await user.createKey()).secret;
}

/** Connections at two workers: they are handed out in turn. */
async function socketsOfBoth(secret: string): Promise<readonly SocketClient[]> {
  const { process } = server;
  const from = process.stderr.length;
  const sockets = [await openSocket(server.url, secret), await openSocket(server.url, secret)];
  const workers = (): Set<string | undefined> => {
    const lines = process.stderr.slice(from).split("\n");
    const upgrades = lines.filter((line) => line.includes('"status":101'));
    return new Set(upgrades.map((line) => /"worker":(\d+)/.exec(line)?.[1]));
  };
  await waitUntil(() => workers().size === 2);
  return sockets;
}

describe("connections of two workers", () => {
  it("go on from an answer that is kept, whichever gave it, and know of none that is not", async () => {
    const [one, other] = await socketsOfBoth(await caller());
    const first = await one?.ask({ model, input: "Repeat exactly: this." });
    let previous_response_id = first?.at(-1)?.["response"].id;
    for (const socket of [other, one, other]) {
      const events = await socket?.ask({ model, input: "And on?", previous_response_id });
      const last = events?.at(-1);
      expect(last).toMatchObject({
        type: "response.completed",
        response: { previous_response_id },
      });
      expect(JSON.stringify(last)).toContain("Zürich");
      previous_response_id = last?.["response"].id;
    }
    const unkept = { model, input: "And on?", previous_response_id, store: false };
    const alone = await one?.ask(unkept);
    const id = alone?.at(-1)?.["response"].id;
    const unknown = await other?.ask({ ...unkept, previous_response_id: id });
    expect(unknown).toMatchObject([
      { status: 400, error: { code: "previous_response_not_found" } },
    ]);
    const known = await one?.ask({ ...unkept, previous_response_id: id });
    expect(JSON.stringify(known?.at(-1))).toContain("Zürich");
  });

  it("[socket.connections] are counted together: a key has a hundred", async () => {
    const secret = await caller();
    const sockets = [];
    for (let opened = 0; opened < 100; opened++) sockets.push(await openSocket(server.url, secret));
    // One at each worker.
    await expect(openSocket(server.url, secret)).rejects.toThrow("429");
    await expect(openSocket(server.url, secret)).rejects.toThrow("429");
    for (const { socket } of sockets) socket.terminate();
  });

  it("that say nothing cost under 20 KiB each", async () => {
    const secrets = await Promise.all(Array.from({ length: 10 }, caller));
    const pids = [1, 2].map((worker) => workerPids(server.process).get(worker) ?? 0);
    for (const secret of secrets) await openMany(secret, 10);
    const before = residentMemory(pids) ?? 0;
    for (const secret of secrets) await openMany(secret, 90);
    const after = residentMemory(pids) ?? 0;
    expect(after - before).toBeLessThan((900 * 20) / 1024);
  });

  it("are closed with 1001 when the server stops, behind the calls that are under way", async () => {
    const sockets = await socketsOfBoth(await caller());
    const stopped = server.stop();
    for (const { closed } of sockets) expect(await closed).toMatchObject({ code: 1001 });
    expect(await stopped).toMatchObject({ code: 0 });
  });
});

async function openMany(secret: string, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened++) await openSocket(server.url, secret);
}
