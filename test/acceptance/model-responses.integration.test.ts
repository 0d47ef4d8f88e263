import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;
let user: TestUser;
let key: string;
let upstream: Server;
let script: (response: ServerResponse) => unknown;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    void text(request).then(() => script(response));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  script = answer('{"data":[]}', "application/json");
  causeway = await startTestInstance();
  user = await causeway.createUser();
  key = (await user.createKey()).secret;
  for (const label of ["chat", "messages"]) await register(label);
});

afterAll(async () => {
  await causeway.close();
  upstream.close();
});

beforeEach(() => {
  script = answer("{}", "application/json");
});

async function register(label: string): Promise<void> {
  const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const { status } = await causeway.call("POST", "/v1/upstreams", {
    token: user.session,
    body: { label, base_url, api_key: "sk-1", dialect: `dialect_${label}` },
  });
  expect(status).toBe(201);
}

function answer(body: string, contentType: string): typeof script {
  return (response) => response.writeHead(200, { "content-type": contentType }).end(body);
}

function chat(fields: object, headers: Record<string, string> = {}, token = key) {
  const body = { model: "custom/chat/m1", messages: [], ...fields };
  return causeway.call("POST", "/v1/chat/completions", { token, body, headers });
}

const finished =
  'data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}';

describe("a stream that lacks no more than its end", () => {
  it.each([
    ["the terminator", `${finished}\n\n`, `${finished}\n\ndata: [DONE]\n\n`],
    ["a blank line and the terminator", finished, `${finished}\n\ndata: [DONE]\n\n`],
    ["nothing", `${finished}\n\ndata: [DONE]\n`, `${finished}\n\ndata: [DONE]\n`],
  ])("gets it in chat when it lacks %s", async (_what, sent, received) => {
    script = answer(sent, "text/event-stream");
    expect(await chat({ stream: true })).toMatchObject({ status: 200, body: received });
  });

  it("reaches the official messages client although no blank line closes its last event", async () => {
    const message = { id: "msg_1", type: "message", role: "assistant", model: "m1", content: [] };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const events = [
      { type: "message_start", message: { ...message, stop_reason: null, usage } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`);
    script = answer(events.join("\n\n"), "text/event-stream");
    const client = new Anthropic({ baseURL: causeway.url, apiKey: key, maxRetries: 0 });
    const stream = client.messages.stream({
      model: "custom/messages/m1",
      max_tokens: 8,
      messages: [{ role: "user", content: "Hi" }],
    });
    expect((await stream.finalMessage()).stop_reason).toBe("end_turn");
  });
});

it("tells what an error says that came with status 200 where a stream was asked for", async () => {
  const error = { message: "The model is not loaded.", type: "server_error", code: "not_loaded" };
  script = answer(JSON.stringify({ error }), "application/json");
  const { status, body } = await chat({ stream: true });
  expect(status).toBe(502);
  expect(body.error).toMatchObject({ message: "The model is not loaded.", code: "not_loaded" });
});

it("refuses one JSON body where a stream was asked for", async () => {
  script = answer('{"id":"c1","object":"chat.completion","choices":[]}', "application/json");
  const { status, body } = await chat({ stream: true });
  expect(status).toBe(502);
  expect(body.error.code).toBe("upstream_malformed");
});

it("says that a compressed body is not read", async () => {
  const { status, body } = await chat({}, { "content-encoding": "gzip" });
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: "invalid_request", param: "content-encoding" });
});

it("lets a key call again when its own limit is taken away", async () => {
  script = answer('{"id":"c1","choices":[]}', "application/json");
  const rate_limit = { requests_per_minute: 1, burst: 1 };
  const { id, secret } = await user.createKey({ rate_limit });
  expect((await chat({}, {}, secret)).status).toBe(200);
  expect((await chat({}, {}, secret)).status).toBe(429);
  const body = { rate_limit: null };
  await causeway.call("PATCH", `/v1/keys/${id}`, { token: user.session, body });
  await waitUntil(async () => (await chat({}, {}, secret)).status === 200);
});
