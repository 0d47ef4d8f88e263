import { describe, expect, it } from "vitest";
import { CircuitBreaker } from "../../../src/gateway/upstream/circuit-breaker.ts";
import { closedPort } from "../../support/closed-port.ts";
import { json, startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { call, readError } from "../call.ts";
import { startModelApp, type ModelApp } from "../model-app.ts";

const catalogue = Object.fromEntries(
  ["one", "two", "three"].map((id) => [
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

const ok = json({ id: "c", object: "chat.completion", choices: [] });
const path = "/v1/chat/completions";
const body = { model: "m", messages: [] };

async function start(key: Parameters<ModelApp["setKey"]>[0] = {}) {
  const app = await startModelApp({ catalogue, key });
  const [one, two] = [await startFakeUpstream(ok), await startFakeUpstream(ok)];
  link(app, "one", one);
  link(app, "two", two);
  return { app, one, two };
}

function link(app: ModelApp, id: string, { origin }: Pick<FakeUpstream, "origin">): void {
  app.addVendor({ id, dialects: ["dialect_chat"], baseUrl: new URL(`${origin}/v1`) });
}

/** The second own vendor could not be reached by five calls. */
async function startWithRestingTwo() {
  const app = await startModelApp({ catalogue });
  const [one, three] = [await startFakeUpstream(ok), await startFakeUpstream(ok)];
  link(app, "one", one);
  link(app, "two", { origin: `http://127.0.0.1:${await closedPort()}` });
  for (let made = 0; made < 5; made++) await call(app, path, { ...body, model: "two/m" });
  return { app, one, three };
}

describe("a bare model that several own vendors serve", () => {
  it.each([429, 500, 503, 529])(
    "[retry.next-route] goes on to the next after %d",
    async (status) => {
      const { app, one, two } = await start();
      one.play(json({ error: { message: "not now" } }, status));
      const answer = await call(app, path, body);
      expect([answer.status, one.requests.length, two.requests.length]).toEqual([200, 1, 1]);
      expect((await app.record(0)).model).toBe("two/m");
      expect(two.requests[0]?.body).toEqual(one.requests[0]?.body);
    },
  );

  it("goes on to the next when the first cannot be reached", async () => {
    const app = await startModelApp({ catalogue });
    const two = await startFakeUpstream(ok);
    link(app, "one", { origin: `http://127.0.0.1:${await closedPort()}` });
    link(app, "two", two);
    expect((await call(app, path, body)).status).toBe(200);
    expect(two.requests).toHaveLength(1);
  });

  it("tells the last answer when no own vendor can serve it", async () => {
    const { app, one, two } = await start();
    one.play(json({ error: { message: "one is busy" } }, 429));
    two.play(json({ error: { message: "two is busy" } }, 503));
    const answer = await call(app, path, body);
    expect(answer.status).toBe(503);
    expect(readError(answer.body).message).toBe("two is busy");
  });

  it.each([400, 401, 404, 422])("stays with the first after %d", async (status) => {
    const { app, one, two } = await start();
    one.play(json({ error: { message: "no" } }, status));
    await call(app, path, body);
    expect(two.requests).toHaveLength(0);
  });

  it("stays with a vendor that was named", async () => {
    const { app, one, two } = await start();
    one.play(json({ error: { message: "busy" } }, 429));
    expect((await call(app, path, { ...body, model: "one/m" })).status).toBe(429);
    expect(two.requests).toHaveLength(0);
  });

  it("warns of what the one that answers was not told, and of no other", async () => {
    const messages = [{ role: "user", content: "Hello" }];
    const app = await startModelApp({ catalogue });
    const [one, two] = [await startFakeUpstream(ok), await startFakeUpstream(ok)];
    const baseUrl = new URL(`${one.origin}/v1`);
    app.addVendor({ id: "one", dialects: ["dialect_messages"], baseUrl });
    link(app, "two", two);
    one.play(json({ error: { message: "busy" } }, 503));
    const answer = await call(app, path, { model: "m", messages, seed: 7 });
    expect([answer.status, one.requests.length, two.requests.length]).toEqual([200, 1, 1]);
    expect(answer.headers["x-svc-warnings"]).toBeUndefined();
  });

  it("does not go on to what the key may not use", async () => {
    const { app, one, two } = await start({ allowedModels: ["one/*"] });
    one.play(json({ error: { message: "busy" } }, 429));
    expect((await call(app, path, body)).status).toBe(429);
    expect(two.requests).toHaveLength(0);
  });
});

describe("an upstream that cannot be reached", () => {
  it("is left alone after five calls, whose sixth fails at once", async () => {
    const app = await startModelApp({ catalogue });
    link(app, "one", { origin: `http://127.0.0.1:${await closedPort()}` });
    for (let made = 0; made < 5; made++) expect((await call(app, path, body)).status).toBe(502);
    const answer = await call(app, path, body);
    expect(answer.status).toBe(502);
    expect(readError(answer.body).code).toBe("upstream_unreachable");
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect((await app.record(5)).attempts).toBe(0);
  });

  it("is passed over while it is left alone", async () => {
    const { app, one, three } = await startWithRestingTwo();
    one.play(json({ error: { message: "one is busy" } }, 503));
    link(app, "three", three);
    expect((await call(app, path, body)).status).toBe(200);
    const { model, attempts } = await app.record(5);
    expect([model, attempts, three.requests.length]).toEqual(["three/m", 2, 1]);
  });

  it("does not take the place of the answer that there is", async () => {
    const { app, one } = await startWithRestingTwo();
    one.play(json({ error: { message: "one is busy" } }, 503));
    const answer = await call(app, path, body);
    expect([answer.status, readError(answer.body).message]).toEqual([503, "one is busy"]);
    const { model, attempts } = await app.record(5);
    expect([model, attempts]).toEqual(["one/m", 1]);
  });

  it("is tried by one call after a rest, and by all when it answers", () => {
    let now = 1;
    const breaker = new CircuitBreaker(() => now);
    for (let made = 0; made < 4; made++) breaker.fail();
    expect(breaker.isOpen()).toBe(false);
    breaker.fail();
    expect([breaker.isOpen(), breaker.opensInSeconds()]).toEqual([true, 5]);
    now += 5001;
    expect([breaker.isOpen(), breaker.isOpen()]).toEqual([false, true]);
    breaker.succeed();
    expect(breaker.isOpen()).toBe(false);
  });
});
