/** Gateways in processes of their own that share their request buckets in Redis. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRedisServer, type LocalRedisServer } from "../../scripts/redis-server.ts";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import { startServer, startServerForTest, type ServerProcess } from "../support/server-process.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";

const password = "canary-password";

let redis: LocalRedisServer;
let upstream: LoopbackUpstream;
let database: TestDatabase;
let first: ServerProcess;
let second: ServerProcess;

beforeAll(async () => {
  redis = await startRedisServer({ settings: ["--requirepass", password] });
  upstream = await startLoopbackUpstream(["m1"]);
  database = await createTestDatabase();
  const databaseUrl = database.connectionString;
  const environment = { CAUSEWAY_REDIS_URL: `redis://:${password}@127.0.0.1:${redis.port}` };
  first = await startServer({ databaseUrl, environment });
  second = await startServer({
    databaseUrl,
    environment: {
      ...environment,
      CAUSEWAY_SECRET_KEY: first.environment["CAUSEWAY_SECRET_KEY"] ?? "",
      CAUSEWAY_ADMIN_TOKEN: first.adminToken,
    },
  });
});

afterAll(async () => {
  await second.end();
  await first.end();
  await database.drop();
  await upstream.close();
  await redis.kill();
});

/** A key with that limit, and a way to call with it. */
async function callerWith(rateLimit: { requests_per_minute: number; burst: number }) {
  const user = await first.createUser();
  const { secret } = await user.createKey({ rate_limit: rateLimit });
  const body = {
    label: "Own",
    base_url: upstream.baseUrl,
    api_key: "sk-1",
    dialect: "dialect_chat",
  };
  await first.call("POST", "/v1/upstreams", { token: user.session, body });
  return async (server: ServerProcess): Promise<number> => {
    const { status } = await server.call("POST", "/v1/chat/completions", {
      token: secret,
      body: { model: "custom/own/m1", messages: [{ role: "user", content: "Hello" }] },
    });
    return status;
  };
}

/** Calls of a process that were decided without Redis. */
async function fallbacks(server: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const line = /^causeway_rate_limit_fallback_total\{bucket="key"\} (\d+)$/m.exec(metrics);
  return Number(line?.[1] ?? 0);
}

it("[environment.redis] two processes, 100 requests a minute, 300 calls: 100 pass", async () => {
  const call = await callerWith({ requests_per_minute: 100, burst: 100 });
  const startedAt = performance.now();
  const calls = Array.from({ length: 300 }, (_, index) => call(index % 2 === 0 ? first : second));
  const statuses = await Promise.all(calls);
  // What came back meanwhile, a request each 600 ms, may pass too.
  const cameBack = Math.floor((performance.now() - startedAt) / 600);
  const passed = statuses.filter((status) => status === 200).length;
  expect(passed).toBeGreaterThanOrEqual(100);
  expect(passed).toBeLessThanOrEqual(100 + cameBack);
  expect(statuses.filter((status) => status === 429)).toHaveLength(300 - passed);
  expect(await fallbacks(first)).toBe(0);
  expect(await fallbacks(second)).toBe(0);
});

it("the workers of one machine share with the others too", async () => {
  const workers = await startServerForTest({
    databaseUrl: database.connectionString,
    environment: { ...first.environment, CAUSEWAY_WORKERS: "2" },
  });
  const call = await callerWith({ requests_per_minute: 1, burst: 20 });
  const calls = Array.from({ length: 60 }, (_, index) => call(index % 3 === 0 ? first : workers));
  const statuses = await Promise.all(calls);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(await fallbacks(workers)).toBe(0);
});

it("[environment.redis] when Redis is killed calls go on, each process by itself, and return to Redis when it is back", async () => {
  // One request a minute, so that none comes back while the test runs.
  const call = await callerWith({ requests_per_minute: 1, burst: 4 });
  expect(await Promise.all([call(first), call(second)])).toEqual([200, 200]);
  const before = await fallbacks(first);
  const gone = nextLines("Redis is away");
  await redis.kill();
  await gone();
  // Each has what it last heard of: three or two left.
  const statuses = await repeat(6, () => call(first));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
  expect(statuses.at(-1)).toBe(429);
  expect(await call(second)).toBe(200);
  expect(await fallbacks(first)).toBe(before + 6);
  await startRedisAgain();
  // The new server knows nothing of what was taken from the old one.
  const shared = await repeat(6, (index) => call(index % 2 === 0 ? first : second));
  expect(shared).toEqual([200, 200, 200, 200, 429, 429]);
  expect(await fallbacks(first)).toBe(before + 6);
  expect(first.process.stderr + second.process.stderr).not.toContain("canary");
});

it("calls that are under way when Redis is killed are answered", async () => {
  const call = await callerWith({ requests_per_minute: 6000, burst: 6000 });
  const calls = Array.from({ length: 200 }, () => call(first));
  await redis.kill();
  const statuses = await Promise.all(calls);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  const decidedHere = await fallbacks(first);
  expect(decidedHere).toBeGreaterThan(0);
  await startRedisAgain();
  expect(await call(first)).toBe(200);
  expect(await fallbacks(first)).toBe(decidedHere);
});

/** Starts the server that was killed, and waits until both gateways use it. */
async function startRedisAgain(): Promise<void> {
  const back = nextLines("Redis is back");
  redis = await startRedisServer({ port: redis.port, settings: ["--requirepass", password] });
  await back();
}

/** Waits for one more line of the log of each gateway than there is now. */
function nextLines(text: string): () => Promise<void> {
  const count = ({ process: { stderr } }: ServerProcess) => stderr.split(text).length;
  const before = [first, second].map((server) => ({ server, lines: count(server) }));
  return () => waitUntil(() => before.every(({ server, lines }) => count(server) > lines), 30_000);
}

async function repeat(
  times: number,
  call: (index: number) => Promise<number>,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < times; index++) statuses.push(await call(index));
  return statuses;
}
