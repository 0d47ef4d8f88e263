/** `POST /v1/embeddings`, passed through to whoever speaks chat completions. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import OpenAI from "openai";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { json, startFakeUpstream, text, type Script } from "../../support/fake-upstream.ts";
import { startAppWithUpstream, type AppWithUpstream } from "../app-with-upstream.ts";
import { call, readError } from "../call.ts";
import type { ModelAppOptions } from "../model-app.ts";

const path = "/v1/embeddings";
const vector = [0.25, -0.5, 1];
const usage = { prompt_tokens: 8, total_tokens: 8 };

function client({ app }: Pick<AppWithUpstream, "app">): OpenAI {
  return new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
}

/** Answers in the form that was asked for, as vendors do. */
const embed: Script = (response, request) => {
  const { encoding_format: format } = JSON.parse(request.body.toString());
  const bytes = Buffer.from(new Float32Array(vector).buffer).toString("base64");
  const embedding = format === "base64" ? bytes : vector;
  const data = [{ object: "embedding", index: 0, embedding }];
  return json({ object: "list", data, model: "embed-1", usage })(response, request);
};

async function start(options: ModelAppOptions = {}): Promise<AppWithUpstream> {
  const started = await startAppWithUpstream(options);
  started.upstream.play(embed);
  return started;
}

describe("the official client", () => {
  it.each(["float", "base64", undefined] as const)(
    "[embeddings.passed] gets its vectors: %s",
    async (format) => {
      const started = await start();
      const asked = format === undefined ? {} : { encoding_format: format };
      const answer = await client(started).embeddings.create({
        model: "custom/acme/embed-1",
        input: "hello",
        ...asked,
      });
      expect(answer.usage).toEqual(usage);
      const embedding: unknown = answer.data[0]?.embedding;
      if (format === "base64") expect(embedding).toBe("AACAPgAAAL8AAIA/");
      else expect(embedding).toEqual(vector);
    },
  );

  it("throws its own classes for refusals and for the vendor's errors", async () => {
    const started = await start();
    const { embeddings } = client(started);
    await expect(embeddings.create({ model: "custom/none/m", input: "x" })).rejects.toMatchObject({
      status: 403,
      code: "no_custom_upstream",
      type: "permission_error",
      requestID: expect.stringMatching(/^req_/),
    });
    started.upstream.play(json({ error: { message: "too long", param: "input" } }, 400));
    const refused = embeddings.create({ model: "custom/acme/m", input: "x" });
    await expect(refused).rejects.toThrow(OpenAI.BadRequestError);
    await expect(refused).rejects.toMatchObject({ param: "input" });
  });
});

describe("an embeddings call", () => {
  it("[embeddings.passed] reaches <base_url>/embeddings byte for byte, but for the model's name, and so does its answer", async () => {
    const { app, upstream } = await start();
    const answer = '{ "object": "list", "data" : [ ],"model":"x", "odd": 1.50e3 }\n';
    upstream.play(text(answer, 200, { "content-type": "application/json" }));
    const sent =
      '{ "input" : [[1, 2],[3]], "stream": true, "x" :1.0,"mod\\u0065l":"custom/acme/embed/1" }';
    const reply = await call(app, `${path}?api-version=1`, sent, { "openai-beta": "b" });
    expect([reply.status, reply.text]).toEqual([200, answer]);
    const [received] = upstream.requests;
    expect(received?.path).toBe("/v1/embeddings?api-version=1");
    expect(received?.body.toString()).toBe(sent.replace("custom/acme/embed/1", "embed/1"));
    expect(received?.headers).toMatchObject({
      authorization: "Bearer stored-upstream-key",
      "openai-beta": "b",
    });
  });

  it("[embeddings.same-rules] says which call it was, who answered and what the key has left, and is kept", async () => {
    const { app } = await start();
    const sent = { model: "custom/acme/embed-1", input: "hello", stream: true };
    const { headers } = await call(app, path, sent, { "x-svc-tags": "project=alpha" });
    expect(headers).toMatchObject({
      "x-svc-route-used": "byo",
      "x-svc-target": "custom/acme/embed-1",
      ratelimit: expect.stringContaining("r="),
      "x-ratelimit-limit-requests": expect.any(String),
    });
    await app.record(0);
    expect(app.kept[0]).toMatchObject({
      id: headers["x-svc-call"],
      operation: "createEmbedding",
      dialect: "chat",
      lane: "pass_through",
      isStream: false,
      target: "custom/acme/embed-1",
      tags: { project: "alpha" },
      use: { inputTokens: 8, outputTokens: 0, isEstimated: false },
    });
  });

  it.each([
    ["a vendor that speaks chat", "one", ["dialect_chat"]],
    [
      "[embeddings.passed] a vendor that speaks it among others",
      "many",
      ["dialect_responses", "dialect_chat"],
    ],
  ] as const)("is taken by %s", async (_, id, dialects) => {
    const known = { label: id, baseUrl: "http://127.0.0.1:1/v1", models: ["m"] };
    const vendor = { ...known, dialects, auth: "bearer" } as const;
    const { app, upstream } = await start({ catalogue: { [id]: vendor } });
    app.addVendor({ id, dialects, baseUrl: new URL(`${upstream.origin}/base`) });
    expect((await call(app, path, { model: `${id}/m`, input: "x" })).status).toBe(200);
    expect(upstream.requests[0]?.path).toBe("/base/embeddings");
  });

  it("reaches the one of several owners of a bare id that speaks chat", async () => {
    const base = { label: "V", baseUrl: "http://127.0.0.1:1/v1", auth: "bearer" } as const;
    const first = { ...base, dialects: ["dialect_messages"], models: ["m"] } as const;
    const second = { ...base, dialects: ["dialect_chat"], models: ["m"] } as const;
    const { app, upstream } = await start({ catalogue: { first, second } });
    app.addVendor({ id: "first", dialects: first.dialects, baseUrl: new URL(upstream.origin) });
    app.addVendor({ id: "second", baseUrl: new URL(upstream.origin) });
    const { status, headers } = await call(app, path, { model: "m", input: "x" });
    expect([status, headers["x-svc-target"]]).toEqual([200, "second/m"]);
  });

  it.each([
    ["an endpoint that speaks messages", "custom/mess/m"],
    ["an endpoint that speaks responses", "custom/resp/m"],
    ["a vendor that speaks responses only", "code/m"],
  ])("[embeddings.messages-endpoints] is refused for %s, with param model", async (_, model) => {
    const { app, upstream } = await start();
    const baseUrl = new URL(`${upstream.origin}/v1`);
    app.addEndpoint({ slug: "resp", dialect: "dialect_responses", baseUrl });
    const { status, body } = await call(app, path, { model, input: "x" });
    expect([status, readError(body)]).toMatchObject([
      400,
      { code: "invalid_request", param: "model", message: expect.stringContaining("chat") },
    ]);
    expect(upstream.requests).toEqual([]);
  });

  it("gives its input once: of two the vendor might take the other", async () => {
    const { app } = await start();
    const sent = '{"model": "custom/acme/m", "input": "a", "input": "b"}';
    const { status, body } = await call(app, path, sent);
    expect([status, readError(body).param]).toEqual([400, "input"]);
  });

  it("is never refused for a field that the vendor may have", async () => {
    const { app } = await start();
    const sent = { model: "custom/acme/m", input: {}, stream: "maybe", task: "query" };
    expect((await call(app, path, sent)).status).toBe(200);
  });

  it("[embeddings.mode] does not heed the mode of its key, and refuses what asks for the agent", async () => {
    const { app } = await start({ key: { mode: "agent" } });
    const sent = { model: "custom/acme/m", input: "x" };
    expect((await call(app, path, sent)).status).toBe(200);
    for (const [name, value] of [
      ["x-svc-mode", "agent"],
      ["x-svc-engine", "omni"],
    ] as const) {
      const { status, body } = await call(app, path, sent, { [name]: value });
      expect([status, readError(body).param]).toEqual([400, name]);
    }
  });

  it("[embeddings.same-rules] is held to allowed_models, and to the bucket of its key", async () => {
    const rateLimit = { requestsPerMinute: 1, burst: 2 };
    const { app } = await start({ key: { allowedModels: ["custom/acme/embed-*"], rateLimit } });
    const sent = { input: "x" };
    const of = (model: string) => call(app, path, { ...sent, model: `custom/acme/${model}` });
    expect(readError((await of("chat-1")).body).code).toBe("model_not_allowed");
    expect((await of("embed-1")).status).toBe(200);
    const limited = await of("embed-1");
    expect([limited.status, readError(limited.body).code]).toEqual([429, "rate_limited"]);
    expect(Number(limited.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("is refused an answer that is a stream of events", async () => {
    const { app, upstream } = await start();
    const headers = { "content-type": "text/event-stream" };
    upstream.play(text('data: {"choices": []}\n\ndata: [DONE]\n\n', 200, headers));
    const { status, body } = await call(app, path, { model: "custom/acme/m", input: "x" });
    expect([status, readError(body).code]).toEqual([502, "upstream_malformed"]);
  });
});

describe("an alias with several targets", () => {
  it("[embeddings.same-rules] fails over before the first byte, and passes over who does not speak chat", async () => {
    const targets = [
      { vendor: "custom/mess", modelId: "m" },
      { vendor: "custom/acme", modelId: "embed-1" },
      { vendor: "custom/spare", modelId: "embed-2" },
    ] as const;
    const pool = { targets, strategy: "order", affinity: "none" } as const;
    const { app, upstream } = await start({ aliases: { embed: pool } });
    const spare = await startFakeUpstream(embed);
    app.addEndpoint({ slug: "spare", baseUrl: new URL(`${spare.origin}/v1`) });
    upstream.play(json({ error: { message: "busy" } }, 503));
    const answer = await client({ app })
      .embeddings.create({ model: "@embed", input: "x" })
      .withResponse();
    expect(answer.response.headers.get("x-svc-target")).toBe("custom/spare/embed-2");
    expect(answer.data.data[0]?.embedding).toEqual(vector);
    expect(JSON.parse(String(spare.requests[0]?.body))).toMatchObject({ model: "embed-2" });
    await app.record(0);
    expect(app.kept[0]).toMatchObject({
      attempts: [
        { target: "custom/acme/embed-1", status: 503 },
        { target: "custom/spare/embed-2" },
      ],
      skipped: [{ target: "custom/mess/m", reason: "mode" }],
    });
  });
});

it("[embeddings.passed] a large answer is taken from its vendor no faster than its caller reads", async () => {
  const { app, upstream } = await start();
  const [piece, pieces] = ["7,".repeat(512 * 1024), 64];
  let written = 0;
  upstream.play(async (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"data":[');
    for (; written < pieces; written++) {
      if (!response.write(piece)) await once(response, "drain");
    }
    response.end("7]}");
  });
  const answer = await request(`${app.origin}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.token}` },
    body: JSON.stringify({ model: "custom/acme/m", input: "x" }),
  });
  for (let before = -1; before !== written; await delay(150)) before = written;
  expect(written).toBeLessThan(pieces / 2);
  expect((await answer.body.bytes()).length).toBe(pieces * piece.length + '{"data":[7]}'.length);
});

describe("what an embeddings call used", () => {
  const told = (value: object) => json({ object: "list", data: [], usage: value });
  const nothing = json({ object: "list", data: [] });

  it.each([
    ["is what its vendor told", told(usage), "hello", 8, false],
    ["may be told as a total alone", told({ total_tokens: 9 }), "hello", 9, false],
    ["is estimated from a text", nothing, "a".repeat(398), 100, true],
    ["is estimated from several texts", nothing, ["a".repeat(195), "b".repeat(198)], 100, true],
    ["[embeddings.ledger] is the count of tokens", nothing, [1, 20, 300, 4000], 4, true],
    ["is the count of several lists of tokens", nothing, [[1, 20], [300], []], 3, true],
    ["is estimated where a usage tells nothing", told({}), [1, 2], 2, true],
  ])("%s", async (_, answer, input, inputTokens, isEstimated) => {
    const { app, upstream } = await start();
    upstream.play(answer);
    await call(app, path, { model: "custom/acme/m", input });
    await app.record(0);
    expect(app.notes[0]).toMatchObject({ inputTokens, outputTokens: 0, isEstimated });
  });

  const data = JSON.stringify(
    Array.from({ length: 100 }, (_, index) => ({ index, embedding: "A".repeat(200_000) })),
  );

  it.each([
    ["the end", `{"object":"list","data":${data},"usage":${JSON.stringify(usage)}}`],
    ["the beginning", `{"object":"list","usage":${JSON.stringify(usage)},"data":${data}}`],
  ])(
    "[embeddings.passed] is found at %s of twenty megabytes, which are passed on as they are",
    async (_, whole) => {
      const { app, upstream } = await start();
      upstream.play(text(whole, 200, { "content-type": "application/json" }));
      const answer = await call(app, path, { model: "custom/acme/m", input: ["x"] });
      expect(answer.text === whole).toBe(true);
      await app.record(0);
      expect(app.notes[0]).toMatchObject({ inputTokens: 8, outputTokens: 0, isEstimated: false });
    },
  );

  it("is found at the end of a large answer wherever its last pieces are cut", async () => {
    const { app, upstream } = await start();
    const whole = `{"data":${data},"usage":${JSON.stringify(usage)}}`;
    upstream.play((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(whole.slice(0, -20), () => response.end(whole.slice(-20)));
    });
    const answer = await call(app, path, { model: "custom/acme/m", input: ["x"] });
    expect(answer.text === whole).toBe(true);
    await app.record(0);
    expect(app.notes[0]).toMatchObject({ inputTokens: 8, isEstimated: false });
  });
});
