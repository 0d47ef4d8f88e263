import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProcessLoggersOnStream } from "../../../../src/platform/log.ts";
import { parseRedisAddress } from "../../../../src/platform/rate-limit/redis/redis-address.ts";
import {
  RedisRateLimitBuckets,
  type RedisRateLimitTimeouts,
} from "../../../../src/platform/rate-limit/redis/shared-buckets.ts";
import { RedisRateLimiter } from "../../../../src/platform/rate-limit/redis/shared-limiter.ts";
import { FakeRedis, serving, takeReply, type RedisReply } from "../../../support/fake-redis.ts";
import {
  selfSignedCertificate,
  type SelfSigned,
} from "../../../support/self-signed-certificate.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const limit = { requestsPerMinute: 60, burst: 3 };
const away = "Redis is away: this process counts requests by itself";
const back = "Redis is back: machines share request buckets again";

interface Options {
  readonly answer?: RedisReply;
  readonly credentials?: string;
  readonly times?: Partial<RedisRateLimitTimeouts>;
  /** The server speaks TLS. */
  readonly certificate?: SelfSigned;
  readonly host?: string;
  /** The server is not there when the limiter starts. */
  readonly isAway?: boolean;
}

/** A limiter over a server of which the test is the master; the clock of the process stands still. */
async function startLimiter(options: Options = {}) {
  const {
    answer = serving,
    credentials = "",
    host = "127.0.0.1",
    times,
    isAway,
    certificate,
  } = options;
  const redis = await FakeRedis.start(certificate);
  redis.answer = answer;
  if (isAway === true) await redis.goAway();
  const lines: { level: number; msg: string; reason?: string }[] = [];
  const { log } = createProcessLoggersOnStream(
    { write: (line) => void lines.push(JSON.parse(line)) },
    "info",
  );
  const scheme = certificate === undefined ? "redis" : "rediss";
  const address = parseRedisAddress(`${scheme}://${credentials}${host}:${redis.port}/2`);
  if (address === undefined) throw new Error("The address is none.");
  // A machine under load may take long over an answer; only tests of that are impatient.
  const quick = { replyMs: 5000, minPauseMs: 10, maxPauseMs: 40, ...times };
  const shared = new RedisRateLimitBuckets({ address, log, times: quick });
  onTestFinished(async () => {
    shared.close();
    await redis.goAway();
  });
  const fallbacks = { count: 0 };
  const limiter = new RedisRateLimiter({
    shared,
    kind: "key",
    clock: { now: () => 1_000_000 },
    onFallback: () => void fallbacks.count++,
  });
  await shared.start();
  const cameBack = () => waitUntil(() => lines.some(({ msg }) => msg === back));
  return { redis, lines, shared, limiter, fallbacks, cameBack };
}

const error =
  (text: string): RedisReply =>
  (command) =>
    command[0]?.startsWith("EVAL") === true ? `-${text}\r\n` : serving(command);

const silent: RedisReply = (command) =>
  command[0]?.startsWith("EVAL") === true ? undefined : serving(command);

describe("a bucket in Redis", () => {
  it("is asked once for each request, in a command that names the script by its digest", async () => {
    const { redis, limiter, lines, fallbacks } = await startLimiter();
    const opening = redis.commands.length;
    expect(await limiter.take("key_1", limit)).toEqual({
      allowed: true,
      limit,
      remaining: 2,
      fullInMs: 1000,
      retryInMs: 0,
    });
    expect(redis.commands.slice(opening)).toEqual([
      ["EVALSHA", expect.stringMatching(/^[0-9a-f]{40}$/), "1", expect.any(String), "1000", "3000"],
    ]);
    expect(redis.commands[opening]?.[3]).toBe("causeway:requests:key:key_1");
    expect(fallbacks.count).toBe(0);
    expect(lines).toEqual([]);
  });

  it("brings the script along where the server has lost it", async () => {
    const { redis, limiter, fallbacks } = await startLimiter();
    redis.answer = (command) =>
      command[0] === "EVALSHA" ? "-NOSCRIPT No matching script.\r\n" : serving(command);
    expect(await limiter.take("key_1", limit)).toMatchObject({ allowed: true, remaining: 2 });
    expect(redis.commands.slice(-2).map(([name]) => name)).toEqual(["EVALSHA", "EVAL"]);
    expect(fallbacks.count).toBe(0);
  });

  it("signs in and chooses its database first", async () => {
    const { redis } = await startLimiter({ credentials: "ada:p%40ss%20word@" });
    expect(redis.commands.slice(0, 2)).toEqual([
      ["AUTH", "ada", "p@ss word"],
      ["SELECT", "2"],
    ]);
  });

  it("is shown as it was last heard of, without asking", async () => {
    const { redis, limiter } = await startLimiter();
    expect(limiter.peek("key_1", limit).remaining).toBe(3);
    redis.answer = () => takeReply(true, 2500);
    await limiter.take("key_1", limit);
    const asked = redis.commands.length;
    expect(limiter.peek("key_1", limit)).toMatchObject({ remaining: 0, fullInMs: 2500 });
    expect(redis.commands).toHaveLength(asked);
  });
});

describe("while Redis is away", () => {
  it("starts, decides by itself and at once, and comes back", async () => {
    const { redis, limiter, fallbacks, lines, cameBack } = await startLimiter({ isAway: true });
    const readings = [1, 2, 3, 4].map(() => limiter.take("key_1", limit));
    expect(readings).toEqual([
      expect.objectContaining({ allowed: true, remaining: 2 }),
      expect.objectContaining({ allowed: true, remaining: 1 }),
      expect.objectContaining({ allowed: true, remaining: 0 }),
      expect.objectContaining({ allowed: false, remaining: 0 }),
    ]);
    expect(fallbacks.count).toBe(4);
    await redis.comeBack();
    await cameBack();
    expect(limiter.take("key_1", limit)).toBeInstanceOf(Promise);
    expect(fallbacks.count).toBe(4);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [40, away],
      [30, back],
    ]);
    expect(lines[0]?.reason).toBe(`connect ECONNREFUSED 127.0.0.1:${redis.port}`);
  });

  it("begins with the buckets as they were in Redis", async () => {
    const { redis, limiter } = await startLimiter({ answer: () => takeReply(true, 2000) });
    await limiter.take("key_1", limit);
    await redis.goAway();
    await waitUntil(() => !(limiter.take("key_2", limit) instanceof Promise));
    expect(limiter.take("key_1", limit)).toMatchObject({ allowed: true, remaining: 0 });
    expect(limiter.take("key_1", limit)).toMatchObject({ allowed: false });
  });

  it("says so once in each outage, however often it tries", async () => {
    const { redis, lines, cameBack } = await startLimiter({ isAway: true });
    await redis.comeBack();
    await cameBack();
    await redis.goAway();
    await waitUntil(() => lines.length === 3);
    redis.answer = error("LOADING Redis is loading the dataset in memory");
    const before = redis.commands.length;
    await redis.comeBack();
    await waitUntil(() => redis.commands.length >= before + 10);
    expect(lines.map(({ msg }) => msg)).toEqual([away, back, away]);
  });
});

describe("a server that does not serve", () => {
  it("that hangs is waited for in time, left, and not asked again until it answers", async () => {
    const { redis, limiter, fallbacks, lines, cameBack } = await startLimiter({
      times: { replyMs: 150 },
    });
    redis.answer = silent;
    const startedAt = performance.now();
    const readings = await Promise.all([1, 2, 3, 4].map(async () => limiter.take("key_1", limit)));
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(readings.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
    expect(limiter.take("key_1", limit)).toMatchObject({ allowed: false });
    expect(fallbacks.count).toBe(5);
    expect(lines).toEqual([
      expect.objectContaining({ msg: away, reason: "no answer within 150 ms" }),
    ]);
    const hanging = redis.commands.filter(([, , , key]) => key?.endsWith("key_1") === true);
    expect(hanging).toHaveLength(4);
    redis.answer = serving;
    await cameBack();
    expect(await limiter.take("key_1", limit)).toMatchObject({ allowed: true, remaining: 2 });
    expect(fallbacks.count).toBe(5);
  });

  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", "it answers OOM"],
    ["READONLY You can't write against a read only replica.", "it answers READONLY"],
    ["NOPERM User ada has no permissions to run the 'evalsha' command", "it answers NOPERM"],
    ["ERR Error running script", "it answers ERR"],
  ])("that answers %s is not asked", async (text, reason) => {
    const { redis, limiter, fallbacks, lines, cameBack } = await startLimiter();
    redis.answer = error(text);
    expect(await limiter.take("key_1", limit)).toMatchObject({ allowed: true, remaining: 2 });
    expect(limiter.take("key_1", limit)).toMatchObject({ allowed: true, remaining: 1 });
    expect(fallbacks.count).toBe(2);
    expect(lines).toEqual([expect.objectContaining({ msg: away, reason })]);
    redis.answer = serving;
    await cameBack();
  });

  it.each<[string, string]>([
    ["something else", "+PONG\r\n"],
    ["too little", "*1\r\n:1\r\n"],
    ["no numbers", "*3\r\n:1\r\n$1\r\nx\r\n$1\r\ny\r\n"],
  ])("that answers %s is not believed", async (_name, answer) => {
    const { redis, limiter, fallbacks } = await startLimiter();
    redis.answer = () => answer;
    expect(await limiter.take("key_1", limit)).toMatchObject({ allowed: true, remaining: 2 });
    expect(fallbacks.count).toBe(1);
  });

  it("that takes the connection and says nothing holds a start up for a limited time", async () => {
    const startedAt = performance.now();
    const { limiter, lines } = await startLimiter({
      credentials: "ada:secret@",
      answer: () => undefined,
      times: { openMs: 100 },
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(limiter.take("key_1", limit)).toMatchObject({ allowed: true });
    expect(lines.map(({ msg }) => msg)).toEqual([away]);
  });

  it("that repeats a sign-in which it does not understand puts no password into the log", async () => {
    const { lines } = await startLimiter({
      credentials: "ada:canary-password@",
      answer: (command) =>
        `-ERR unknown command, with args beginning with: '${command.join("' '")}'\r\n`,
    });
    expect(lines).toEqual([expect.objectContaining({ msg: away, reason: "it answers ERR" })]);
    expect(JSON.stringify(lines)).not.toContain("canary");
  });
});

describe("over TLS", () => {
  it.each(["localhost", "127.0.0.1"])(
    "reaches %s by a certificate that is trusted",
    async (host) => {
      const certificate = selfSignedCertificate();
      const trusted = getCACertificates("default");
      setDefaultCACertificates([...trusted, certificate.cert]);
      onTestFinished(() => setDefaultCACertificates(trusted));
      const { limiter, fallbacks, lines } = await startLimiter({ certificate, host });
      expect(await limiter.take("key_1", limit)).toMatchObject({ allowed: true, remaining: 2 });
      expect({ fallbacks: fallbacks.count, lines }).toEqual({ fallbacks: 0, lines: [] });
    },
  );

  it("tells nothing to a server whose certificate nobody vouches for", async () => {
    const { redis, limiter, lines } = await startLimiter({
      certificate: selfSignedCertificate(),
      credentials: "ada:canary-password@",
    });
    expect(limiter.take("key_1", limit)).toMatchObject({ allowed: true });
    expect(lines).toEqual([
      expect.objectContaining({
        msg: away,
        reason: expect.stringContaining("self-signed certificate"),
      }),
    ]);
    expect(redis.commands).toEqual([]);
  });
});

describe("a limiter that is closed", () => {
  it("ends its connection, decides by itself and does not connect again", async () => {
    const { redis, shared, limiter, lines } = await startLimiter();
    const waiting = limiter.take("key_1", limit);
    redis.answer = silent;
    shared.close();
    expect(await waiting).toMatchObject({ allowed: true });
    await redis.allClosed();
    expect(limiter.take("key_1", limit)).toMatchObject({ allowed: true });
    expect(redis.connections).toBe(0);
    expect(lines).toEqual([]);
  });

  it("ends a connection that is being opened", async () => {
    const { redis, shared, cameBack } = await startLimiter({ isAway: true });
    await redis.comeBack();
    await cameBack();
    const again = shared.start();
    shared.close();
    await again;
    await redis.allClosed();
    expect(redis.connections).toBe(0);
  });
});
