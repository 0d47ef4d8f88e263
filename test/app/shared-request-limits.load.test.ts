/** Request buckets in Redis on a whole instance (`CAUSEWAY_REDIS_URL`). */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { closedPort } from "../support/closed-port.ts";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import { FakeRedis, serving, takeReply } from "../support/fake-redis.ts";
import { restClient } from "../support/rest-client.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let redis: FakeRedis;
let upstream: LoopbackUpstream;
let causeway: TestInstance;
let key: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  redis = await FakeRedis.start();
  upstream = await startLoopbackUpstream(["m1"]);
  causeway = await startTestInstance({
    environment: { CAUSEWAY_REDIS_URL: `redis://:canary-password@127.0.0.1:${redis.port}` },
    file: { limits: { requests_per_minute: 60, burst: 5 } },
  });
});

afterAll(async () => {
  await causeway.close();
  await redis.goAway();
  await upstream.close();
});

beforeEach(async () => {
  const user = await causeway.createUser();
  key = await user.createKey();
  const body = {
    label: "Own",
    base_url: upstream.baseUrl,
    api_key: "sk-1",
    dialect: "dialect_chat",
  };
  await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  redis.answer = serving;
  redis.commands.length = 0;
});

/** A model call of the key. */
function call() {
  const body = { model: "custom/own/m1", messages: [{ role: "user", content: "Hello" }] };
  return causeway.call("POST", "/v1/chat/completions", { token: key.secret, body });
}

/** Calls that were decided without Redis, of one kind. */
async function fallbacks(bucket: string): Promise<number> {
  const metrics = await (await fetch(`${causeway.url}/metrics`)).text();
  const pattern = new RegExp(
    `^causeway_rate_limit_fallback_total\\{bucket="${bucket}"\\} (\\d+)$`,
    "m",
  );
  return Number(pattern.exec(metrics)?.[1] ?? 0);
}

describe("with CAUSEWAY_REDIS_URL", () => {
  it("[environment.redis] a model call is counted in Redis, by the id of its key", async () => {
    redis.answer = () => takeReply(true, 3000);
    const { status, headers } = await call();
    expect(status).toBe(200);
    expect(headers.get("ratelimit")).toBe('"requests";r=2;t=3');
    expect(redis.commands).toHaveLength(1);
    expect(redis.commands[0]?.slice(2)).toEqual([
      "1",
      `causeway:requests:key:${key.id}`,
      "1000",
      "5000",
    ]);
    expect(JSON.stringify(redis.commands)).not.toContain(key.secret);
  });

  it("a model call over the limit is refused as Redis says", async () => {
    redis.answer = () => takeReply(false, 5000);
    const { status, headers, body } = await call();
    expect(status).toBe(429);
    expect(body.error.code).toBe("rate_limited");
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("ratelimit")).toBe('"requests";r=0;t=5');
  });

  it("[environment.redis] a request of the tools is counted in Redis, by its address", async () => {
    redis.answer = () => takeReply(false, 20_000);
    const refused = await restClient(causeway.toolsUrl)("POST", "/tools/runtime_eol", { body: {} });
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    redis.answer = () => takeReply(true, 500);
    const mcp = await fetch(`${causeway.toolsUrl}/mcp`, { method: "POST", body: "{}" });
    expect(mcp.headers.get("ratelimit")).toBe('"requests";r=195;t=1');
    expect(redis.commands.map(([, , , name]) => name)).toEqual([
      "causeway:requests:address:127.0.0.1",
      "causeway:requests:address:127.0.0.1",
    ]);
  });

  it("no call fails because Redis is away, and those that were decided here are counted", async () => {
    const before = { keys: await fallbacks("key"), addresses: await fallbacks("address") };
    await redis.goAway();
    await waitUntil(() =>
      messages().includes("Redis is away: this process counts requests by itself"),
    );
    const statuses: number[] = [];
    for (let index = 0; index < 6; index++) statuses.push((await call()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(
      (await fetch(`${causeway.toolsUrl}/mcp`, { method: "POST", body: "{}" })).status,
    ).not.toBe(429);
    expect(await fallbacks("key")).toBe(before.keys + 6);
    expect(await fallbacks("address")).toBe(before.addresses + 1);
    await redis.comeBack();
    await waitUntil(() =>
      messages().includes("Redis is back: machines share request buckets again"),
    );
    expect((await call()).status).toBe(200);
    expect(JSON.stringify(causeway.logLines())).not.toContain("canary");
  });

  it("a server that is not there does not keep an instance from starting, and ends with it", async () => {
    const port = redis.port;
    await redis.goAway();
    const other = await startTestInstance({
      environment: { CAUSEWAY_REDIS_URL: `redis://127.0.0.1:${port}` },
    });
    expect((await other.call("GET", "/readyz")).status).toBe(200);
    await redis.comeBack();
    await waitUntil(() => redis.connections === 2);
    await other.close();
    await waitUntil(() => redis.connections === 1);
  });
});

it("a start that fails leaves no connection to Redis behind", async () => {
  const own = await FakeRedis.start();
  onTestFinished(() => own.goAway());
  const environment = {
    CAUSEWAY_REDIS_URL: `redis://127.0.0.1:${own.port}`,
    DATABASE_URL: `postgres://127.0.0.1:${await closedPort()}/causeway`,
  };
  await expect(startTestInstance({ environment })).rejects.toThrow("ECONNREFUSED");
  expect(own.commands).not.toEqual([]);
  await own.allClosed();
  expect(own.connections).toBe(0);
});

function messages(): unknown[] {
  return causeway.logLines().map(({ msg }) => msg);
}
