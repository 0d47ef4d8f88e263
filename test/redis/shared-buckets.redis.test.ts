/** Buckets in a real server: what they say is what a bucket in the process says. */
import fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startRedisServer, type LocalRedisServer } from "../../scripts/redis-server.ts";
import type { RedisAddress } from "../../src/platform/rate-limit/redis/redis-address.ts";
import { parseRedisAddress } from "../../src/platform/rate-limit/redis/redis-address.ts";
import {
  openRedisConnection,
  type RedisConnection,
} from "../../src/platform/rate-limit/redis/redis-session.ts";
import { RedisRateLimitBuckets } from "../../src/platform/rate-limit/redis/shared-buckets.ts";
import {
  RateLimitBuckets,
  type RequestRateLimit,
} from "../../src/platform/rate-limit/request-buckets.ts";
import { waitUntil } from "../support/wait-until.ts";

const log = pino({ level: "silent" });
const patient = { replyMs: 10_000 };

let server: LocalRedisServer;
let address: RedisAddress;
let shared: RedisRateLimitBuckets;
let operator: RedisConnection;

beforeAll(async () => {
  server = await startRedisServer({ settings: ["--requirepass", "p@ss word"] });
  const parsed = parseRedisAddress(`redis://:p%40ss%20word@127.0.0.1:${server.port}/3`);
  if (parsed === undefined) throw new Error("The address is none.");
  address = parsed;
  shared = new RedisRateLimitBuckets({ address, log, times: patient });
  await shared.start();
  operator = await openRedisConnection({ address, openMs: 10_000, onLost: () => undefined });
});

afterAll(async () => {
  shared.close();
  operator.end();
  await server.kill();
});

beforeEach(async () => {
  await operator.send(["FLUSHDB"]);
});

async function take(id: string, limit: RequestRateLimit) {
  const taken = await shared.take(id, limit);
  if (taken === undefined) throw new Error("Redis is away.");
  return taken;
}

/** From one request in a minute to ten in a millisecond: time that passes by itself refills some. */
const limits = fc.record({
  requestsPerMinute: fc.oneof(
    fc.integer({ min: 1, max: 1000 }),
    fc.integer({ min: 10_000, max: 600_000 }),
  ),
  burst: fc.integer({ min: 1, max: 12 }),
});

/** Requests of three callers, each of which keeps its limit or changes it as it goes. */
const requests = fc.array(
  fc.record({ id: fc.constantFrom("a", "b", "c"), limit: limits, changes: fc.boolean() }),
  {
    minLength: 20,
    maxLength: 60,
  },
);

describe("a bucket in Redis", () => {
  it("[environment.redis] reads the same, bit for bit, as one in the process at the same times", async () => {
    let run = 0;
    let [allowed, refused] = [0, 0];
    const property = fc.asyncProperty(requests, async (steps) => {
      run += 1;
      const clock = { at: 0 };
      const local = new RateLimitBuckets({ now: () => clock.at });
      const current = new Map<string, RequestRateLimit>();
      for (const { id, limit, changes } of steps) {
        if (changes || !current.has(id)) current.set(id, limit);
        const kept = current.get(id) ?? limit;
        const { reading, at } = await take(`${run}:${id}`, kept);
        clock.at = at;
        expect(local.take(id, kept)).toEqual(reading);
        if (reading.allowed) allowed += 1;
        else refused += 1;
      }
    });
    await fc.assert(property, { numRuns: 60, endOnFailure: true });
    expect(allowed).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  });

  it("goes by the clock of the server", async () => {
    const before = await serverTime();
    const { at } = await take("clock", { requestsPerMinute: 60, burst: 1 });
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(await serverTime());
  });

  it("refills in its own time after the clock of the server was set back by an hour", async () => {
    const limit = { requestsPerMinute: 600, burst: 2 };
    const written = (await serverTime()) + 3_600_000;
    const value = `${written + 200} 100 ${written}`;
    await operator.send(["SET", "causeway:requests:stepped", value, "PX", "7200000"]);
    const { reading } = await take("stepped", limit);
    expect(reading).toMatchObject({ allowed: false, remaining: 0 });
    expect(reading.retryInMs).toBeLessThanOrEqual(100);
    await waitUntil(async () => (await take("stepped", limit)).reading.allowed);
  });

  it("is kept for as long as it is not full, and no longer", async () => {
    const slow = { requestsPerMinute: 1, burst: 3 };
    await take("slow", slow);
    const { reading } = await take("slow", slow);
    const left = Number(await operator.send(["PTTL", "causeway:requests:slow"]));
    expect(left).toBeGreaterThan(reading.fullInMs - 10_000);
    expect(left).toBeLessThanOrEqual(reading.fullInMs + 2);
    await take("quick", { requestsPerMinute: 60_000, burst: 10 });
    await waitUntil(async () => (await operator.send(["EXISTS", "causeway:requests:quick"])) === 0);
  });

  it("lets exactly the burst through when many ask at once over several connections", async () => {
    const others = [1, 2, 3].map(() => new RedisRateLimitBuckets({ address, log, times: patient }));
    await Promise.all(others.map((other) => other.start()));
    const burst = { requestsPerMinute: 1, burst: 50 };
    const asked = [shared, ...others].flatMap((one) =>
      Array.from({ length: 50 }, async () => one.take("many", burst)),
    );
    const taken = await Promise.all(asked);
    for (const other of others) other.close();
    expect(taken.filter((one) => one?.reading.allowed)).toHaveLength(50);
    expect(taken.filter((one) => one === undefined)).toHaveLength(0);
  });

  it("survives that the server forgets its scripts", async () => {
    await operator.send(["SCRIPT", "FLUSH"]);
    const { reading } = await take("forgotten", { requestsPerMinute: 60, burst: 2 });
    expect(reading).toMatchObject({ allowed: true, remaining: 1 });
  });

  it("needs no command that Valkey lacks", async () => {
    await operator.send(["CONFIG", "RESETSTAT"]);
    const other = new RedisRateLimitBuckets({ address, log, times: patient });
    await other.start();
    await other.take("commands", { requestsPerMinute: 60, burst: 2 });
    other.close();
    const report = String(await operator.send(["INFO", "commandstats"]));
    const used = [...report.matchAll(/^cmdstat_([^:]+):/gm)].map(([, name]) => name);
    const known = new Set([
      "auth",
      "select",
      "eval",
      "evalsha",
      "time",
      "get",
      "set",
      "config|resetstat",
    ]);
    expect(used.filter((name) => !known.has(name ?? ""))).toEqual([]);
    expect(used).toEqual(expect.arrayContaining(["auth", "evalsha", "time", "get", "set"]));
  });
});

/** Milliseconds. */
async function serverTime(): Promise<number> {
  const [seconds, microseconds] = (await operator.send(["TIME"])) as [string, string];
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
}
