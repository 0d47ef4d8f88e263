import { describe, expect, it } from "vitest";
import type { AliasRouting } from "../../../src/domain/alias-target.ts";
import { closedPort } from "../../support/closed-port.ts";
import { json, startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { call, readError } from "../call.ts";
import { startModelApp, type ModelApp, type ModelAppOptions } from "../model-app.ts";

const vendors = ["one", "two", "three"];

const catalogue = Object.fromEntries(
  vendors.map((id) => [
    id,
    {
      label: id,
      baseUrl: "http://127.0.0.1:1/v1",
      dialects: ["dialect_chat"] as const,
      auth: "bearer" as const,
      models: ["m"],
    },
  ]),
);

const path = "/v1/chat/completions";
const body = { model: "@pool", messages: [{ role: "user", content: "Hello" }] };
const ok = json({ id: "c", object: "chat.completion", choices: [] });
const error = (status: number, headers: Record<string, string> = {}) =>
  json({ error: { message: `said ${status}` } }, status, headers);

const ordered: AliasRouting = {
  targets: [
    { vendor: "one", modelId: "a" },
    { vendor: "two", modelId: "a-longer-model-id" },
  ],
  strategy: "order",
  affinity: "none",
};

interface Pool {
  readonly app: ModelApp;
  readonly one: FakeUpstream;
  readonly two: FakeUpstream;
  /** Time of the gateway goes on by so many milliseconds. */
  pass(milliseconds: number): void;
}

async function start(
  pool: AliasRouting = ordered,
  options: Partial<ModelAppOptions> = {},
): Promise<Pool> {
  let now = Date.UTC(2026, 0, 1);
  const clock = { now: () => now };
  const app = await startModelApp({ catalogue, clock, aliases: { pool }, ...options });
  const [one, two] = [await startFakeUpstream(ok), await startFakeUpstream(ok)];
  link(app, "one", one);
  link(app, "two", two);
  return { app, one, two, pass: (milliseconds) => void (now += milliseconds) };
}

function link(app: ModelApp, id: string, { origin }: Pick<FakeUpstream, "origin">): void {
  app.addVendor({ id, dialects: ["dialect_chat"], baseUrl: new URL(`${origin}/v1`) });
}

const made = ({ one, two }: Pool) => [one.requests.length, two.requests.length];

async function statuses(app: ModelApp, count: number): Promise<readonly number[]> {
  const all: number[] = [];
  for (let index = 0; index < count; index++) all.push((await call(app, path, body)).status);
  return all;
}

describe("an alias with several targets", () => {
  it("[pool.order] [pool.target-header] calls the first, with its own model id, and says which answered", async () => {
    const pool = await start();
    const answer = await call(pool.app, path, body);
    expect([answer.status, answer.headers["x-svc-target"], ...made(pool)]).toEqual([
      200,
      "one/a",
      1,
      0,
    ]);
    expect(JSON.parse(String(pool.one.requests[0]?.body))).toEqual({ ...body, model: "a" });
  });

  it.each([401, 402, 403, 408, 409, 429, 500, 503, 529])(
    "[pool.goes-on] goes on after %d",
    async (status) => {
      const pool = await start();
      pool.one.play(error(status));
      const answer = await call(pool.app, path, body);
      expect([answer.status, answer.headers["x-svc-target"], ...made(pool)]).toEqual([
        200,
        "two/a-longer-model-id",
        1,
        1,
      ]);
      const sent = JSON.parse(String(pool.two.requests[0]?.body));
      expect(sent).toEqual({ ...body, model: "a-longer-model-id" });
    },
  );

  it.each([400, 404, 413, 422])("[pool.final] answers with %d of a target", async (status) => {
    const pool = await start();
    pool.one.play(error(status));
    expect((await call(pool.app, path, body)).status).toBe(status);
    expect(made(pool)).toEqual([1, 0]);
  });

  it("[pool.goes-on] goes on when a target cannot be reached, and dials none twice", async () => {
    const { app, two } = await start({
      ...ordered,
      targets: [{ vendor: "three", modelId: "m" }, ...ordered.targets.slice(1)],
    });
    link(app, "three", { origin: `http://127.0.0.1:${await closedPort()}` });
    expect((await call(app, path, body)).status).toBe(200);
    expect([(await app.record(0)).attempts, two.requests.length]).toEqual([2, 1]);
  });

  it.each([
    ["an empty answer", (response) => response.socket?.destroy()],
    ["a broken answer", (response) => void response.write('{"id"', () => response.destroy())],
    ["an error in the place of an answer", json({ error: { message: "no" } })],
    ["what is no JSON", (response) => response.end("hello")],
  ] satisfies [string, Parameters<FakeUpstream["play"]>[0]][])(
    "goes on after %s",
    async (_, script) => {
      const pool = await start();
      pool.one.play(script);
      expect((await call(pool.app, path, body)).status).toBe(200);
      expect(made(pool)).toEqual([1, 1]);
    },
  );

  it("[pool.goes-on] goes on after a time-out before the first byte", async () => {
    const pool = await start(ordered, { callLimits: { firstByteMs: 100 } });
    pool.one.play(() => undefined);
    expect((await call(pool.app, path, body)).status).toBe(200);
    expect(made(pool)).toEqual([1, 1]);
  });

  it("[pool.goes-on] goes on when a stream begins with an error", async () => {
    const pool = await start();
    const event = `data: {"error": {"type": "overloaded_error", "message": "busy"}}\n\n`;
    pool.one.play((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(event);
    });
    const chunk = `data: {"id": "c", "choices": []}\n\ndata: [DONE]\n\n`;
    pool.two.play((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(chunk);
    });
    const answer = await call(pool.app, path, { ...body, stream: true });
    expect([answer.status, answer.text]).toEqual([200, chunk]);
  });

  it("[pool.last-failure] answers with the last failure when all fail", async () => {
    const pool = await start();
    pool.one.play(error(429));
    pool.two.play(error(503));
    const answer = await call(pool.app, path, body);
    expect([answer.status, readError(answer.body).message]).toEqual([503, "said 503"]);
    expect(made(pool)).toEqual([1, 1]);
  });

  it("[pool.passed-over] passes over a target that the key may not use", async () => {
    const pool = await start(ordered, { key: { allowedModels: ["two/*"] } });
    expect((await call(pool.app, path, body)).status).toBe(200);
    expect(made(pool)).toEqual([0, 1]);
    expect((await pool.app.record(0)).skipped).toEqual([
      { target: "one/a", reason: "not_allowed" },
    ]);
  });

  it("refuses what the first would when the key may use none", async () => {
    const pool = await start(ordered, { key: { allowedModels: ["other/*"] } });
    const answer = await call(pool.app, path, body);
    expect([answer.status, readError(answer.body).code]).toEqual([403, "model_not_allowed"]);
    const skipped = [
      { target: "one/a", reason: "not_allowed" },
      { target: "two/a-longer-model-id", reason: "not_allowed" },
    ];
    await expect.poll(() => pool.app.kept).toMatchObject([{ skipped, attempts: [] }]);
  });

  describe("whose first speaks a dialect in which not all can be said", () => {
    const twice = { ...body, n: 2 };
    const [first, second] = ordered.targets;
    const mixed: AliasRouting = {
      ...ordered,
      targets: [{ vendor: "three", modelId: "m" }, second ?? first],
    };
    const three = { id: "three", dialects: ["dialect_messages"] as const };

    it("goes on to one that can carry the call", async () => {
      const { app, one, two } = await start(mixed);
      app.addVendor({ ...three, baseUrl: new URL(`${one.origin}/v1`) });
      const answer = await call(app, path, twice);
      expect([answer.status, answer.headers["x-svc-target"]]).toEqual([
        200,
        "two/a-longer-model-id",
      ]);
      expect([one.requests.length, two.requests.length]).toEqual([0, 1]);
    });

    it("says what it has no word for when no other may be called", async () => {
      const { app, one } = await start(mixed, { key: { allowedModels: ["three/*"] } });
      app.addVendor({ ...three, baseUrl: new URL(`${one.origin}/v1`) });
      const answer = await call(app, path, twice);
      expect([answer.status, readError(answer.body).param]).toEqual([400, "n"]);
    });
  });

  it("[pool.passed-over] passes over a target without a credential", async () => {
    const [first, second] = ordered.targets;
    const { app, two } = await start({
      ...ordered,
      targets: [{ vendor: "three", modelId: "m" }, second ?? first],
    });
    expect((await call(app, path, body)).status).toBe(200);
    expect(two.requests).toHaveLength(1);
    expect((await app.record(0)).skipped).toEqual([{ target: "three/m", reason: "no_credential" }]);
  });
});

describe("a target that rests", () => {
  it("[pool.order] has no call for the time that its vendor says", async () => {
    const pool = await start();
    pool.one.playOnce(error(429, { "retry-after": "2" }));
    expect(await statuses(pool.app, 4)).toEqual([200, 200, 200, 200]);
    expect(made(pool)).toEqual([1, 4]);
    pool.pass(1999);
    await call(pool.app, path, body);
    expect(made(pool)).toEqual([1, 5]);
    pool.pass(1);
    await call(pool.app, path, body);
    expect(made(pool)).toEqual([2, 5]);
  });

  it("[pool.rests] rests for a minute at most", async () => {
    const pool = await start();
    pool.one.playOnce(error(429, { "retry-after": "3600" }));
    await statuses(pool.app, 2);
    pool.pass(60_000);
    await call(pool.app, path, body);
    expect(made(pool)).toEqual([2, 2]);
  });

  it.each([401, 402])("[pool.refused] rests for a minute after %d", async (status) => {
    const pool = await start();
    pool.one.playOnce(error(status));
    await statuses(pool.app, 2);
    pool.pass(59_000);
    await call(pool.app, path, body);
    expect(made(pool)).toEqual([1, 3]);
    pool.pass(1000);
    await call(pool.app, path, body);
    expect(made(pool)).toEqual([2, 3]);
  });

  it("[pool.refused] is called again at once after 403", async () => {
    const pool = await start();
    pool.one.playOnce(error(403));
    await statuses(pool.app, 2);
    expect(made(pool)).toEqual([2, 1]);
  });

  it("[pool.rests] rests for ten seconds after five failures in a row", async () => {
    const pool = await start();
    pool.one.play(error(500));
    expect(new Set(await statuses(pool.app, 7))).toEqual(new Set([200]));
    expect(made(pool)).toEqual([5, 7]);
    pool.pass(10_000);
    await statuses(pool.app, 2);
    expect(made(pool)).toEqual([6, 9]);
  });

  it("[pool.rests] counts failures in a row only", async () => {
    const pool = await start();
    const failing = Array.from({ length: 4 }, () => error(500));
    pool.one.playOnce(...failing, ok, ...failing, ok);
    await statuses(pool.app, 10);
    expect(made(pool)).toEqual([10, 8]);
  });

  it("[pool.all-rest] has the call when all others rest longer", async () => {
    const pool = await start();
    pool.one.playOnce(error(429, { "retry-after": "30" }));
    pool.two.playOnce(error(429, { "retry-after": "20" }));
    expect(await statuses(pool.app, 2)).toEqual([429, 200]);
    expect(made(pool)).toEqual([1, 2]);
  });

  it("[pool.direct] is called by those who name its model", async () => {
    const pool = await start();
    pool.one.playOnce(error(429, { "retry-after": "30" }));
    await call(pool.app, path, body);
    expect((await call(pool.app, path, { ...body, model: "one/a" })).status).toBe(200);
    expect(made(pool)).toEqual([2, 1]);
  });

  it("is passed over by calls that were under way when it came to rest", async () => {
    const [first, ...others] = ordered.targets;
    const back: AliasRouting = { ...ordered, targets: [others[0] ?? first, first] };
    const pool = await start(ordered, { aliases: { pool: ordered, back } });
    pool.two.playOnce(error(429, { "retry-after": "30" }));
    pool.one.playOnce(async (response, request) => {
      await call(pool.app, path, { ...body, model: "@back" });
      error(500)(response, request);
    });
    expect((await call(pool.app, path, body)).status).toBe(500);
    expect(made(pool)).toEqual([2, 1]);
    expect((await pool.app.record(1)).skipped).toEqual([
      { target: "two/a-longer-model-id", reason: "resting" },
    ]);
  });
});
