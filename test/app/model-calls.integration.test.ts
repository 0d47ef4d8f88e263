import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;
let user: TestUser;
let key: string;
let upstream: Server;
let base: string;
const statements: string[] = [];
const received: { path: string; body: string }[] = [];

beforeAll(async () => {
  upstream = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const acme = {
    label: "Acme",
    base_url: base,
    dialects: ["dialect_chat", "dialect_messages"],
    auth: "bearer",
    models: ["m1"],
  };
  causeway = await startTestInstance({
    file: { vendors: { acme } },
    statementObserver: (sql) => void statements.push(sql),
  });
  user = await causeway.createUser();
  key = (await user.createKey()).secret;
  for (const dialect of ["dialect_chat", "dialect_messages"]) {
    const fields = {
      label: dialect.replace("dialect_", ""),
      base_url: base,
      api_key: "sk-1",
      dialect,
    };
    await causeway.call("POST", "/v1/upstreams", { token: user.session, body: fields });
  }
});

afterAll(async () => {
  await causeway.close();
  upstream.close();
});

const completion = JSON.stringify({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m1",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
});
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m1", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const chunks = `${chunk({ role: "assistant", content: "Hel" }, null)}${chunk({ content: "lo" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
const message = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m1",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const ask = [{ role: "user" as const, content: "Hi" }];

/** An upstream of both dialects: chat streams two words, messages answers whole. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const body = await text(request);
  received.push({ path: request.url ?? "", body });
  response.setHeader("content-type", "application/json");
  if (request.url?.endsWith("/models") === true) return response.end('{"data":[{"id":"m1"}]}');
  if (request.url?.endsWith("/messages") === true) return response.end(message);
  if (!body.includes('"stream":true')) return response.end(completion);
  response.setHeader("content-type", "text/event-stream");
  return response.end(chunks);
}

describe("model calls of a whole instance", () => {
  it("serve the official OpenAI client, streamed and not", async () => {
    const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: key });
    const whole = await openai.chat.completions.create({ model: "custom/chat/m1", messages: ask });
    expect(whole.choices[0]?.message.content).toBe("Hello");
    const stream = openai.chat.completions.stream({ model: "acme/m1", messages: ask });
    await expect(stream.finalContent()).rejects.toMatchObject({
      status: 403,
      code: "no_vendor_credential",
    });
    await causeway.call("PUT", "/v1/vendors/acme/credential", {
      token: user.session,
      body: { api_key: "sk-acme" },
    });
    await waitUntil(
      async () =>
        (await causeway.call("GET", "/v1/vendors", { token: user.session })).body.data[0].linked,
    );
    const linked = openai.chat.completions.stream({ model: "acme/m1", messages: ask });
    expect(await linked.finalContent()).toBe("Hello");
  });

  it("serve the official Anthropic client", async () => {
    const anthropic = new Anthropic({ baseURL: causeway.url, apiKey: key });
    const answer = await anthropic.messages.create({
      model: "custom/messages/m1",
      max_tokens: 9,
      messages: ask,
    });
    expect(answer.content).toEqual([{ type: "text", text: "Hello" }]);
  });

  it("do no SQL before the answer when they are warm", async () => {
    const { secret } = await user.createKey();
    const body = { model: "custom/chat/m1", messages: ask };
    const post = () => causeway.call("POST", "/v1/chat/completions", { token: secret, body });
    expect((await post()).status).toBe(200);
    // The start creates partitions in the background, so a later round of calls may be the
    // first without a statement. Last use is written once a minute, after the response.
    await waitUntil(async () => {
      statements.length = 0;
      for (let call = 0; call < 20; call++) expect((await post()).status).toBe(200);
      return statements.every((sql) => sql.includes('set "last_used_at"'));
    });
  });

  it("leave one log line that says who called what, and how long the upstream took", async () => {
    const requestId = `log-${Date.now()}`;
    await causeway.call("POST", "/v1/chat/completions", {
      token: key,
      body: { model: "custom/chat/m1", messages: ask },
      headers: { "x-request-id": requestId },
    });
    const lines = () => causeway.logLines().filter((line) => line["request_id"] === requestId);
    await waitUntil(() => lines().length > 0);
    expect(lines()).toEqual([
      expect.objectContaining({
        route: "/v1/chat/completions",
        status: 200,
        principal: "key",
        account_id: user.id,
        key_id: expect.stringMatching(/^key_/),
        operation: "createChatCompletion",
        lane: "pass_through",
        route_used: "byo",
        model: "custom/chat/m1",
        stream: false,
        attempts: 1,
        upstream_ms: expect.any(Number),
      }),
    ]);
  });

  it("leave in it whom they passed over and their tags, also when no target may be used", async () => {
    const targets = [
      { vendor: "custom/chat", model_id: "m1" },
      { vendor: "custom/messages", model_id: "m1" },
    ];
    await causeway.call("PUT", "/v1/aliases/pool", { token: user.session, body: { targets } });
    const { secret } = await user.createKey({
      scopes: ["gateway:invoke"],
      allowed_models: ["other/*"],
    });
    const requestId = `log-skipped-${Date.now()}`;
    const refused = await causeway.call("POST", "/v1/chat/completions", {
      token: secret,
      body: { model: "@pool", messages: ask },
      headers: { "x-request-id": requestId, "x-svc-tags": "project=alpha" },
    });
    expect(refused.status).toBe(403);
    const lines = () => causeway.logLines().filter((line) => line["request_id"] === requestId);
    await waitUntil(() => lines().length > 0);
    expect(lines()).toMatchObject([
      {
        error: "model_not_allowed",
        skipped: targets.map(({ vendor }) => ({ target: `${vendor}/m1`, reason: "not_allowed" })),
        tags: { project: "alpha" },
      },
    ]);
  });

  it("count the gateway's own time", async () => {
    const { body } = await causeway.call("GET", "/metrics");
    expect(body).toMatch(
      /causeway_gateway_overhead_seconds_count\{operation="createChatCompletion",lane="pass_through"\} [1-9]/,
    );
  });

  it("[service.pass-through] [same.body] reach the upstream byte for byte, but for the model's name", async () => {
    received.length = 0;
    const body =
      '{ "messages" : [ ], "x" : 1.50e3, "mod\\u0065l":"custom/chat/m1","stream" :false }';
    const response = await fetch(`${causeway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(200);
    expect(received).toEqual([
      { path: "/v1/chat/completions", body: body.replace("custom/chat/m1", "m1") },
    ]);
  });
});
