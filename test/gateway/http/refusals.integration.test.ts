import { connect } from "node:net";
import { Readable } from "node:stream";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { generateCredentialToken } from "../../../src/platform/crypto/token.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call, modelFor, modelRoutes, readError, routes } from "../call.ts";
import type { ModelApp, ModelAppOptions } from "../model-app.ts";

async function start(options: ModelAppOptions = {}): Promise<ModelApp> {
  const { app } = await startAppWithUpstream(options);
  return app;
}

describe.each(modelRoutes)("[embeddings.same-rules] refusals of $name", (route) => {
  const body = { model: modelFor(route), messages: [] };

  it("[service.three-styles] [error.dialect] are in the caller's dialect, with the request id in body and headers", async () => {
    const app = await start();
    const reply = await call(app, route.path, body, {
      authorization: null,
      "x-request-id": "my.id-1",
    });
    expect(reply.status).toBe(401);
    expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect([reply.headers["x-request-id"], reply.headers["request-id"]]).toEqual([
      "my.id-1",
      "my.id-1",
    ]);
    expect(readError(reply.body)).toMatchObject({
      code: "unauthorized",
      type: "authentication_error",
      requestId: "my.id-1",
      docUrl: "http://docs.test/docs/errors#unauthorized",
    });
    expect(reply.headers["ratelimit"]).toBeUndefined();
  });

  it.each([
    ["no key", {}, 401],
    ["another scheme", { authorization: "Basic abc" }, 401],
    ["junk", { authorization: "Bearer junk" }, 401],
    ["an unknown key", { authorization: `Bearer ${generateCredentialToken("cwk")}` }, 401],
    ["junk as x-api-key", { "x-api-key": "junk" }, 401],
    [
      "two credentials that differ",
      {
        "x-api-key": generateCredentialToken("cwk"),
        authorization: `Bearer ${generateCredentialToken("cwk")}`,
      },
      401,
    ],
  ])("[refused.two-headers] refuse %s", async (_, headers, status) => {
    const app = await start();
    const reply = await call(app, route.path, body, { authorization: null, ...headers });
    expect([reply.status, readError(reply.body).code]).toEqual([status, "unauthorized"]);
  });

  it("[auth.headers] take the key from either header, and from both when they agree", async () => {
    const app = await start();
    const asApiKey = { authorization: null, "x-api-key": app.token };
    expect((await call(app, route.path, body, asApiKey)).status).toBe(200);
    expect((await call(app, route.path, body, { "x-api-key": app.token })).status).toBe(200);
  });

  it("refuse a key without the scope, before its headers are looked at", async () => {
    const app = await start();
    app.setKey({ principal: { ...(await principalOf(app)), scopes: new Set(["teams:read"]) } });
    const reply = await call(app, route.path, body, { "x-svc-route": "nonsense" });
    expect([reply.status, readError(reply.body).code]).toEqual([403, "insufficient_scope"]);
    expect(reply.headers["ratelimit"]).toBeDefined();
  });

  it.each([
    ["x-svc-route", "mine"],
    ["x-svc-route", ""],
    ["x-svc-mode", "chat"],
    ["x-svc-engine", "fast"],
    ["x-svc-session", "a b"],
    ["x-svc-session", "a".repeat(60)],
    ["x-svc-session", "a-b"],
    ["x-svc-strict", "yes"],
    ["x-svc-engine", "omni"],
  ])("[agent.thread-form] name the header %s, sent as %j", async (name, value) => {
    const app = await start();
    const reply = await call(app, route.path, body, { [name]: value });
    expect(reply.status).toBe(400);
    expect(readError(reply.body)).toMatchObject({ code: "invalid_request", param: name });
  });

  it("[call.byo] take every valid x-svc header", async () => {
    const app = await start();
    const reply = await call(app, route.path, body, {
      "x-svc-route": "byo",
      "x-svc-mode": "model",
      "x-svc-session": "thread_1",
      "x-svc-strict": "true",
    });
    expect(reply.status).toBe(200);
    expect(reply.headers["x-svc-route-used"]).toBe("byo");
  });

  it.each([
    ["no character", "", null],
    ["half of an object", "{", null],
    ["a list", "[]", null],
    ["an object with a text behind it", '{"model":"x"} trailing', null],
    ["two members `model`", '{"model":"a","model":"custom/acme/m"}', "model"],
    [
      "two members `model`, one of them escaped",
      '{"model":"a","mod\\u0065l":"custom/acme/m"}',
      "model",
    ],
    ["no model", "{}", "model"],
    ["an empty model", '{"model":""}', "model"],
    ["a number as model", '{"model":7}', "model"],
    ["null as model", '{"model":null}', "model"],
    ["a model of 600 characters", `{"model":"${"x".repeat(600)}"}`, "model"],
    ["an endpoint without a model", '{"model":"custom/acme"}', "model"],
    ["an alias that is not there", '{"model":"@nobody"}', "model"],
    [
      "bytes that are no UTF-8",
      Buffer.from([...Buffer.from('{"model":"'), 0xff, ...Buffer.from('"}')]),
      null,
    ],
    [
      "lists a thousand deep",
      `{"model":"custom/acme/m","a":${"[".repeat(1000)}${"]".repeat(1000)}}`,
      null,
    ],
  ])("name what is wrong with a body that has %s", async (_, text, param) => {
    const app = await start();
    const reply = await call(app, route.path, text);
    expect(reply.status).toBe(400);
    expect(readError(reply.body)).toMatchObject({ code: "invalid_request", param });
    expect(reply.headers["ratelimit"]).toBeDefined();
  });

  it("[call.body] refuse a body that is not declared as JSON", async () => {
    const app = await start();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "nonsense"]) {
      const reply = await call(app, route.path, JSON.stringify(body), { "content-type": type });
      expect(reply.status).toBe(400);
      expect(readError(reply.body)).toMatchObject({
        code: "invalid_request",
        param: "content-type",
      });
    }
    const json = { "content-type": "application/json; charset=utf-8" };
    expect((await call(app, route.path, body, json)).status).toBe(200);
    expect((await call(app, route.path, body, { "content-type": null })).status).toBe(200);
  });

  it("tell what cannot be reached", async () => {
    const app = await start();
    const refused = async (model: string) => {
      const reply = await call(app, route.path, { model });
      return [reply.status, readError(reply.body).code];
    };
    expect(await refused("custom/other/m")).toEqual([403, "no_custom_upstream"]);
    expect(await refused("some-model")).toEqual([403, "no_vendor_credential"]);
    app.setKey({ allowedModels: ["other/*"] });
    expect(await refused(modelFor(route))).toEqual([403, "model_not_allowed"]);
  });

  it("[rate.headers] [limit.rate] limit requests per key and say so on every answer", async () => {
    const app = await start({ key: { rateLimit: { requestsPerMinute: 60, burst: 2 } } });
    const [first, second, third] = [
      await call(app, route.path, body),
      await call(app, route.path, "no json"),
      await call(app, route.path, body),
    ];
    expect([first.status, second.status, third.status]).toEqual([200, 400, 429]);
    expect(readError(third.body)).toMatchObject({ code: "rate_limited", type: "rate_limit_error" });
    expect(third.headers["retry-after"]).toBe("1");
    expect(first.headers["ratelimit-policy"]).toBe('"requests";q=2;w=2');
    const left = [first, second, third].map(({ headers }) => headers["ratelimit"]);
    expect(left).toEqual(['"requests";r=1;t=1', '"requests";r=0;t=2', '"requests";r=0;t=2']);
    const prefix = route.name === "messages" ? "anthropic-ratelimit-requests-" : "x-ratelimit-";
    const names = Object.keys(third.headers).filter((name) => name.startsWith(prefix));
    expect(names.toSorted()).toEqual(
      route.name === "messages"
        ? ["limit", "remaining", "reset"].map((name) => `${prefix}${name}`)
        : ["limit", "remaining", "reset"].map((name) => `${prefix}${name}-requests`),
    );
  });
});

describe.each(routes)("a stream that $name is asked for", (route) => {
  it.each(['"stream":"true"', '"stream":1', '"stream":true,"stream":false'])(
    "is refused as %s",
    async (member) => {
      const app = await start();
      const reply = await call(app, route.path, `{"model":"custom/acme/m",${member}}`);
      expect(reply.status).toBe(400);
      expect(readError(reply.body)).toMatchObject({ code: "invalid_request", param: "stream" });
    },
  );
});

describe("large and slow bodies", () => {
  it("[file.limits] are refused by their declared length before they are read", async () => {
    const app = await start({ limits: { maxBodyMib: 1 } });
    const reply = await request(`${app.origin}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": app.token, "content-type": "application/json" },
      body: Buffer.alloc(2 * 1024 * 1024, 0x20),
    });
    expect(reply.statusCode).toBe(413);
    expect(await reply.body.json()).toMatchObject({
      error: { type: "request_too_large", details: { error_code: "request_too_large" } },
    });
  });

  it("[code.too-large] are refused when they turn out too large, and the answer can be read", async () => {
    const app = await start({ limits: { maxBodyMib: 1 } });
    const pieces = Array.from({ length: 64 }, () => Buffer.alloc(64 * 1024, 0x20));
    const reply = await request(`${app.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
      body: Readable.from(pieces),
    });
    expect(reply.statusCode).toBe(413);
    expect(await reply.body.json()).toMatchObject({ error: { code: "request_too_large" } });
  });

  it("of unknown callers are refused without being read", async () => {
    const app = await start();
    const socket = connect(app.port, "127.0.0.1");
    socket.write(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer junk\r\n" +
        "content-type: application/json\r\ncontent-length: 1000000\r\n\r\n",
    );
    const answer = await new Promise<string>((resolve) => {
      socket.once("data", (chunk) => resolve(chunk.toString()));
    });
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("of callers that leave are recorded as 499", async () => {
    const app = await start();
    const socket = connect(app.port, "127.0.0.1");
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n` +
        'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{"model":',
    );
    setTimeout(() => socket.destroy(), 50);
    expect(await app.record(0)).toMatchObject({ status: 499, isAborted: true, attempts: 0 });
    expect(app.faults).toEqual([]);
  });
});

async function principalOf(app: ModelApp) {
  await call(app, "/v1/chat/completions", "{");
  const { keyId, accountId } = await app.record(0);
  if (keyId === undefined || accountId === undefined) throw new Error("not authenticated");
  return { kind: "key" as const, keyId, accountId, userId: accountId, teamId: undefined };
}
