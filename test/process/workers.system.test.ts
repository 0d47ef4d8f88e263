import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { program, programPath } from "../support/causeway-process.ts";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";
import { openStream, registerUpstream, startEndlessUpstream } from "./support/streaming-caller.ts";
import {
  getOnNewConnection,
  getOnSameConnection,
  killWorkers,
  outputOf,
  workerPids,
  workersThatServed,
} from "./support/workers.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Two gateways and the tools, one after the other asked and killed. */
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

describe("with CAUSEWAY_WORKERS=2", () => {
  it("prints a line per service once, when all are ready, and says nothing of the setting", () => {
    expect(server.process.stdout).toMatch(
      /^causeway gateway ready http:\/\/127\.0\.0\.1:\d+\ncauseway tools ready http:\/\/127\.0\.0\.1:\d+\n$/,
    );
    expect(server.process.stderr).not.toContain("CAUSEWAY_WORKERS");
  });

  it("runs two gateways and the tools with the flags of the program, under one thin process", async () => {
    await waitUntil(() => workerPids(server.process).size === 3);
    const pids = workerPids(server.process);
    expect(new Set(pids.keys())).toEqual(new Set([1, 2, 3]));
    const own = await residentKib(server.process.pid);
    const flags = await flagsOfProgram();
    expect(outputOf(server.process.pid)).toEqual(expect.arrayContaining(flags));
    for (const pid of pids.values()) {
      expect(outputOf(pid)).toEqual(expect.arrayContaining(flags));
      expect(own).toBeLessThan(0.75 * (await residentKib(pid)));
    }
  });

  it("[environment.workers] hands connections to both", async () => {
    for (let call = 0; call < 6; call += 1) {
      expect(await getOnSameConnection(`${server.url}/readyz`)).toBe(200);
    }
    await waitUntil(() => workersThatServed(server.process, "/readyz").size === 2);
  });

  it("[environment.workers] counts the calls of a key in one bucket", async () => {
    const upstream = await startFakeUpstream(json({ id: "c1", object: "chat.completion" }));
    const user = await server.createUser();
    const { slug } = await createEndpoint(user.session, upstream.origin);
    const limit = { requests_per_minute: 100, burst: 100 };
    const { secret } = await user.createKey({ rate_limit: limit });
    const call = async () => {
      const body = { model: `custom/${slug}/m1`, messages: [{ role: "user", content: "Hi" }] };
      const path = "/v1/chat/completions";
      const { status } = await server.call("POST", path, {
        token: secret,
        body,
        headers: { connection: "close" },
      });
      return status;
    };
    const startedAt = performance.now();
    const statuses = await Promise.all(Array.from({ length: 300 }, call));
    const refilled = Math.ceil(((performance.now() - startedAt) / 60_000) * 100);
    const passed = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(passed).toBeGreaterThanOrEqual(100);
    expect(passed).toBeLessThanOrEqual(100 + refilled);
    await waitUntil(() => workersThatServed(server.process, "/v1/chat/completions").size === 2);
  });

  it("[environment.workers] answers /metrics for all gateways, gauges included", async () => {
    const upstream = await startEndlessUpstream();
    const user = await server.createUser();
    const model = await registerUpstream(server.call, user, upstream);
    const { secret } = await user.createKey();
    const before = await metric(healthz);
    const streams = await Promise.all(
      Array.from({ length: 4 }, () => openStream(server.url, secret, model)),
    );
    for (let call = 0; call < 10; call += 1) await getOnSameConnection(`${server.url}/healthz`);
    await waitUntil(async () => (await metric(healthz)) === before + 10);
    expect(await metric("causeway_streams_in_flight")).toBe(4);
    expect(await metric("causeway_gateway_workers")).toBe(2);
    upstream.open.forEach((_stream, index) => upstream.finish("dialect_chat", index));
    for (const { text } of streams) expect(await text).toContain("[DONE]");
    await waitUntil(async () => (await metric("causeway_streams_in_flight")) === 0);
  });

  it("lets no endpoint lead to the tools, which listen in another process", async () => {
    const user = await server.createUser();
    for (let call = 0; call < 4; call += 1) {
      const answer = await server.call("POST", "/v1/upstreams", {
        token: user.session,
        body: { label: "Own", base_url: server.toolsUrl, api_key: "sk-own" },
        headers: { connection: "close" },
      });
      expect(answer).toMatchObject({ status: 400, body: { param: "base_url" } });
    }
  });

  it("[environment.workers] replaces a gateway that dies, while the other goes on; no counter falls", async () => {
    const served = await metric(healthz);
    const killed = killWorkers(server, [2]);
    await server.process.logLine(/"number":2.*"restart_in_ms":0,.*a worker ended unexpectedly/);
    for (let call = 0; call < 10; call += 1) {
      expect(await getOnSameConnection(`${server.url}/healthz`)).toBe(200);
    }
    await killed;
    await waitUntil(async () => (await metric("causeway_gateway_workers")) === 2, 30_000);
    expect(await metric(healthz)).toBeGreaterThanOrEqual(served + 10);
    expect(await metric("causeway_gateway_worker_deaths_total")).toBe(1);
    const user = await server.createUser();
    expect((await server.call("GET", "/v1/keys", { token: user.session })).status).toBe(200);
  });

  it("goes on by each gateway's own buckets while the primary stands still", async () => {
    const upstream = await startFakeUpstream(json({ id: "c1", object: "chat.completion" }));
    const user = await server.createUser();
    const { slug } = await createEndpoint(user.session, upstream.origin);
    const { secret } = await user.createKey({ rate_limit: { requests_per_minute: 1, burst: 2 } });
    const fallbacks = 'causeway_rate_limit_fallback_total{bucket="key"}';
    const before = await metric(fallbacks);
    const caller = keptConnection(server.url, secret, `custom/${slug}/m1`);
    expect(await caller.call()).toBe(200);
    server.process.signal("SIGSTOP");
    expect([await caller.call(), await caller.call()]).toEqual([200, 429]);
    server.process.signal("SIGCONT");
    await server.process.logLine(/"bucket":"keys".*the buckets of this worker alone decide/);
    await server.process.logLine(/"bucket":"keys".*the buckets of all workers decide again/);
    expect(await metric(fallbacks)).toBe(before + 2);
    caller.close();
  });

  it("lets no caller wait for a gateway that stood still and died", async () => {
    const served = await metric(healthz);
    const stopped = workerPids(server.process).get(1) ?? 0;
    process.kill(stopped, "SIGSTOP");
    // Each gets one; the one that stands still never takes it.
    const outcomes = [0, 1].map(() =>
      getOnSameConnection(`${server.url}/healthz`).catch((error: unknown) => error),
    );
    expect(await Promise.race(outcomes)).toBe(200);
    // The other one tells what this one last said.
    expect(await metric(healthz)).toBeGreaterThanOrEqual(served);
    await killWorkers(server, [1]);
    expect((await Promise.all(outcomes)).filter((outcome) => outcome !== 200)).toEqual([
      expect.objectContaining({ code: "ECONNRESET" }),
    ]);
    await waitUntil(async () => (await metric("causeway_gateway_workers")) === 2, 30_000);
  });

  it("replaces all of them at their old addresses, although the system chose the ports", async () => {
    // The tools are told to stop, which they do in order, and come back as well.
    await Promise.all([killWorkers(server, [1, 2]), killWorkers(server, [3], "SIGTERM")]);
    const ready = async (url: string) =>
      (await getOnSameConnection(`${url}/readyz`).catch(() => undefined)) === 200;
    await waitUntil(() => ready(server.url), 30_000);
    await waitUntil(() => ready(server.toolsUrl), 30_000);
    expect(server.process.stdout.match(/ready/g)).toHaveLength(2);
  });

  it("ends with all its workers, code 0", async () => {
    const pids = [...workerPids(server.process).values()];
    expect(await server.stop()).toMatchObject({ code: 0, signal: undefined });
    for (const pid of pids) expect(outputOf(pid)).toEqual([]);
  });
});

const healthz =
  'causeway_http_requests_total{service="gateway",method="GET",route="/healthz",status="2xx"}';

/** Model calls that go to one gateway, whichever it is. */
function keptConnection(url: string, key: string, model: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] });
  const call = async () => {
    const request = httpRequest(`${url}/v1/chat/completions`, { method: "POST", headers, agent });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    await response.resume().toArray();
    return response.statusCode;
  };
  return { call, close: () => agent.destroy() };
}

async function flagsOfProgram(): Promise<string[]> {
  const [firstLine = ""] = (await readFile(program, "utf8")).split("\n");
  const flags = firstLine.split(" ").filter((word) => word.startsWith("--"));
  expect(flags).not.toEqual([]);
  return flags;
}

async function residentKib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
}

async function metric(name: string): Promise<number> {
  const { text } = await getOnNewConnection(`${server.url}/metrics`);
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

async function createEndpoint(token: string, origin: string): Promise<{ slug: string }> {
  const body = { label: "Fake", base_url: origin, api_key: "sk-fake", dialect: "dialect_chat" };
  const answer = await server.call("POST", "/v1/upstreams", { token, body });
  expect(answer.status).toBe(201);
  return answer.body.upstream;
}
