import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json, late, text } from "../../support/fake-upstream.ts";
import { Secret } from "../../../src/platform/crypto/secret.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call, modelFor, routes } from "../call.ts";

/** A body that no serialiser would print again. */
function oddBody(model: string): string {
  return `\n{ "messages" : [{"role":"user","content":"h\\u00e9 \u{1f600}"}],"n":1.0e0,"x":{"model":"y"},\n "model"\t: ${JSON.stringify(model)} , "unknown_field":[null,-0]}  `;
}

describe.each(routes)("pass-through of $name", (route) => {
  it("[stream.pass-through] [address.paths] sends the body byte for byte, but for the model's name", async () => {
    const { app, upstream } = await startAppWithUpstream();
    await call(app, route.path, oddBody(modelFor(route)));
    const received = await upstream.request(0);
    expect(received.path).toBe(route.upstreamPath);
    expect(received.body.toString()).toBe(oddBody("m"));
    expect(received.headers["content-length"]).toBe(String(Buffer.byteLength(oddBody("m"))));
  });

  it("[same.request-headers] passes on the listed request headers and no other", async () => {
    const { app, upstream } = await startAppWithUpstream();
    await call(
      app,
      route.path,
      { model: modelFor(route) },
      {
        accept: "application/json",
        "user-agent": "sdk/1",
        "anthropic-version": "2026-10-21",
        "anthropic-beta": "a,b",
        "openai-beta": "c",
        "openai-organization": "org",
        "x-request-id": "mine",
        "x-svc-route": "byo",
        "x-forwarded-for": "1.2.3.4",
        cookie: "a=b",
        "x-stainless-lang": "js",
        "accept-encoding": "gzip",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      },
    );
    const { headers } = await upstream.request(0);
    const credential: Record<string, string> =
      route.name === "messages"
        ? { "x-api-key": "stored-upstream-key" }
        : { authorization: `Bearer stored-${route.name === "chat" ? "upstream" : "vendor"}-key` };
    expect(headers).toEqual({
      ...credential,
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "sdk/1",
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "a,b",
      "openai-beta": "c",
      "accept-encoding": "identity",
      connection: "keep-alive",
      "content-length": headers["content-length"],
      host: `127.0.0.1:${upstream.port}`,
    });
  });

  it("[clients.query] passes the query of the address on", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const query = "?beta=true&x=a%2Fb&beta=";
    expect((await call(app, route.path + query, { model: modelFor(route) })).status).toBe(200);
    expect((await upstream.request(0)).path).toBe(route.upstreamPath + query);
  });

  it("[stream.version] [same.version] fills in the version of messages only, and never a user agent", async () => {
    const { app, upstream } = await startAppWithUpstream();
    await call(app, route.path, { model: modelFor(route) });
    const { headers } = await upstream.request(0);
    expect(headers["anthropic-version"]).toBe(route.name === "messages" ? "2023-06-01" : undefined);
    expect(headers["user-agent"]).toBeUndefined();
  });

  it("passes the answer on with its content type and nothing else", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const bytes = '{ "id": "x",\n "choices":[] , "é": 1.0 }\n';
    upstream.play(
      text(bytes, 200, {
        "content-type": "application/json; charset=utf-8; v=2",
        "set-cookie": "a=b",
        "x-request-id": "theirs",
        "openai-organization": "org",
        server: "acme",
        "retry-after": "9",
        "x-ratelimit-remaining-requests": "1",
      }),
    );
    const reply = await call(
      app,
      route.path,
      { model: modelFor(route) },
      { "x-request-id": "ours" },
    );
    expect(reply.text).toBe(bytes);
    const limits =
      route.name === "messages"
        ? ["limit", "remaining", "reset"].map((name) => `anthropic-ratelimit-requests-${name}`)
        : ["limit", "remaining", "reset"].map((name) => `x-ratelimit-${name}-requests`);
    expect(Object.keys(reply.headers).toSorted()).toEqual(
      [
        ...limits,
        "connection",
        "content-length",
        "content-type",
        "date",
        "keep-alive",
        "ratelimit",
        "ratelimit-policy",
        "request-id",
        "x-request-id",
        "x-svc-call",
        "x-svc-route-used",
        "x-svc-target",
      ].toSorted(),
    );
    expect(reply.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8; v=2",
      "content-length": String(Buffer.byteLength(bytes)),
      "x-request-id": "ours",
      "x-svc-route-used": "byo",
    });
    expect(reply.headers[limits[1] ?? ""]).not.toBe("1");
  });

  it("works with cold directories too", async () => {
    const { app } = await startAppWithUpstream({ cold: true });
    expect((await call(app, route.path, { model: modelFor(route) })).status).toBe(200);
    expect((await call(app, route.path, { model: "custom/none/m" })).status).toBe(403);
  });
});

describe("pass-through", () => {
  it("[same.body] keeps any body as it is", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const bodies = fc.tuple(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string({ minLength: 1, unit: "binary" }),
      fc.nat({ max: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async ([before, after, id, space]) => {
        const print = (model: string) => {
          const value = { ...before, ...after, model, stream: false, last: after };
          return JSON.stringify(value, null, space);
        };
        const count = upstream.requests.length;
        const reply = await call(app, "/v1/chat/completions", print(`custom/acme/${id}`));
        expect(reply.status).toBe(200);
        expect((await upstream.request(count)).body.toString()).toBe(print(id));
      }),
      { numRuns: 60 },
    );
  });

  it("[model-id.bare] sends a bare model of a linked vendor without touching the body", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const body = '{"model":"code-large"}';
    const reply = await call(app, "/v1/responses", body);
    expect(reply.status).toBe(200);
    expect((await upstream.request(0)).body.toString()).toBe(body);
    expect(await app.record(0)).toMatchObject({ model: "code/code-large", route: "byo" });
  });

  it("dials the endpoint's own path, headers and credential style", async () => {
    const { app, upstream } = await startAppWithUpstream();
    app.addEndpoint({
      slug: "own",
      dialect: "dialect_messages",
      baseUrl: new URL(`${upstream.origin}/deep/v2/`),
      headers: { "X-Team": "blue", "User-Agent": "fixed" },
      apiKey: new Secret("own-key"),
    });
    await call(app, "/v1/messages", { model: "custom/own/m" }, { "user-agent": "sdk/1" });
    const { path, headers } = await upstream.request(0);
    expect(path).toBe("/deep/v2/messages");
    expect(headers).toMatchObject({
      "x-team": "blue",
      "user-agent": "fixed",
      "x-api-key": "own-key",
    });
    expect(headers["authorization"]).toBeUndefined();
  });

  it("passes large bodies both ways", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const answer = JSON.stringify({ text: "y".repeat(3_000_000) });
    upstream.play(text(answer, 200, { "content-type": "application/json" }));
    const body = { messages: ["x".repeat(5_000_000)], model: "custom/acme/m" };
    const reply = await call(app, "/v1/chat/completions", body);
    expect(reply.text).toBe(answer);
    expect(reply.headers["content-length"]).toBe(String(answer.length));
    expect(JSON.parse((await upstream.request(0)).body.toString())).toEqual({
      ...body,
      model: "m",
    });
  });

  it.each([1000, 8191, 8192, 8193, 20_000])(
    "passes an answer of %d bytes on whole, cut within a character on its way",
    async (length) => {
      const { app, upstream } = await startAppWithUpstream();
      const room = length - Buffer.byteLength('{"text":""}');
      const words = "é\u{1f600}".repeat(room / 6) + "x".repeat(room % 6);
      const answer = Buffer.from(JSON.stringify({ text: words }));
      upstream.play((response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write(answer.subarray(0, 10));
        setTimeout(() => response.end(answer.subarray(10)), 5);
      });
      const reply = await call(app, "/v1/chat/completions", { model: "custom/acme/m" });
      expect([reply.status, reply.text]).toEqual([200, answer.toString()]);
      expect(reply.headers["content-length"]).toBe(`${length}`);
    },
  );

  it("passes an answer of unknown length with its length once it is whole", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"a":');
      setTimeout(() => response.end("1}"), 20);
    });
    const reply = await call(app, "/v1/chat/completions", { model: "custom/acme/m" });
    expect([reply.text, reply.headers["content-length"]]).toEqual(['{"a":1}', "7"]);
  });

  it("records each call once, with its times and sizes", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(late(30, json({ a: 1 })));
    const body = JSON.stringify({ model: "custom/acme/m" });
    await call(app, "/v1/chat/completions", body, { "x-request-id": "r1" });
    const record = await app.record(0);
    expect(record).toMatchObject({
      requestId: "r1",
      operation: "createChatCompletion",
      lane: "pass_through",
      route: "byo",
      model: "custom/acme/m",
      status: 200,
      errorCode: undefined,
      isAborted: false,
      isStream: false,
      attempts: 1,
      requestBytes: body.length,
      responseBytes: 7,
    });
    expect(record.upstreamMs).toBeGreaterThan(25);
    expect(record.totalMs).toBeGreaterThanOrEqual(record.upstreamMs);
    expect(app.routes.callsInFlight).toBe(0);
  });
});
