import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import {
  model,
  scriptedOutput,
  startAgentCaller,
  type AgentCaller,
  type UpstreamDialect,
} from "../agent/agent-caller.ts";
import { json, type Script } from "../../support/fake-upstream.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const items = `${"{},".repeat(400_000)}{}`;

/** JSON text of an object with more values than are parsed. */
const manyArguments = `{"a":[${items}]}`;

async function send(dialect: UpstreamDialect) {
  const { upstream, secret, bodies } = await startAgentCaller(causeway, dialect);
  upstream.play(scriptedOutput(dialect, { text: "Hi." }));
  const answer = await fetch(`${causeway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: `{"model":"custom/box/m","store":false,"input":[${items}]}`,
  });
  return { status: answer.status, body: await answer.json(), dialled: bodies().length };
}

describe("a call with more than 400,000 JSON values", () => {
  it("is refused with 413 before it is parsed for an upstream of another dialect", async () => {
    const { status, body, dialled } = await send("dialect_chat");
    expect([status, dialled]).toEqual([413, 0]);
    expect(body).toMatchObject({ error: { code: "request_too_large" } });
  });

  it("is passed through to an upstream of its own dialect", async () => {
    expect((await send("dialect_responses")).dialled).toBe(1);
  });
});

async function post({ secret }: AgentCaller, path: string, body: object) {
  const answer = await fetch(causeway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, ...body }),
  });
  return { status: answer.status, text: await answer.text() };
}

describe("a call whose history has arguments of more than 400,000 JSON values", () => {
  const calls = [1, 2].map((id) => ({
    id: `call_${id}`,
    type: "function",
    function: { name: "f", arguments: `{"a":[${"{},".repeat(200_000)}{}]}` },
  }));
  const outputs = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "x" }));
  const messages = [
    { role: "user", content: "Hi?" },
    { role: "assistant", tool_calls: calls },
    ...outputs,
  ];

  it("is refused with 413 before they are parsed for an upstream of another dialect", async () => {
    const caller = await startAgentCaller(causeway, "dialect_messages");
    caller.upstream.play(scriptedOutput("dialect_messages", { text: "Hi." }));
    const answer = await post(caller, "/v1/chat/completions", { messages });
    expect([answer.status, caller.bodies().length]).toEqual([413, 0]);
    expect(answer.text).toContain("request_too_large");
  });
});

const toolCalls = [
  { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: manyArguments } },
];

function messagesOf(stream: boolean) {
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  return { max_tokens: 5, stream, tools, messages: [{ role: "user", content: "Hi?" }] };
}

function stream(...events: string[]): Script {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`data: ${event}\n\n`);
    response.end();
  };
}

describe("an answer of more than 400,000 JSON values", () => {
  it("is 502 when they are arguments that its caller gets as an object", async () => {
    const caller = await startAgentCaller(causeway);
    const message = { role: "assistant", tool_calls: toolCalls };
    caller.upstream.play(json({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
    const answer = await post(caller, "/v1/messages", messagesOf(false));
    expect(answer.status).toBe(502);
    expect(answer.text).toContain("sent arguments of more values than can be read");
  });

  it.each([
    ["dialect_chat", "/v1/messages", messagesOf(true)],
    ["dialect_messages", "/v1/responses", { input: "Hi?", store: false, stream: true }],
    ["dialect_responses", "/v1/messages", messagesOf(true)],
  ] as const)("is 502 when one event of a stream of %s has them", async (dialect, path, body) => {
    const caller = await startAgentCaller(causeway, dialect);
    caller.upstream.play(stream(`{"type":"new","choices":[],"x":[${items}]}`));
    const answer = await post(caller, path, body);
    expect(answer.status).toBe(502);
    expect(answer.text).toContain("sent an event of more values than can be read");
  });
});

/** More members than an answer may have, and fewer JSON values. */
const manyMembers = Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`m${at}`, at]));

const logprob = { token: "a", logprob: -1, top_logprobs: [{ token: "b", logprob: -2 }] };

describe("a whole answer of more than 80,000 members", () => {
  const message = { role: "assistant", content: "Hi.", x: manyMembers };
  const chat = json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  const messages = json({
    type: "message",
    role: "assistant",
    stop_reason: "tool_use",
    content: [{ type: "tool_use", id: "t", name: "f", input: manyMembers }],
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const content = [{ type: "output_text", text: "Hi.", annotations: [], x: manyMembers }];
  const responses = json({
    status: "completed",
    output: [{ type: "message", role: "assistant", content }],
  });

  it.each([
    ["dialect_chat", "/v1/messages", chat, messagesOf(false)],
    ["dialect_chat", "/v1/responses", chat, { input: "Hi?", store: false }],
    ["dialect_messages", "/v1/chat/completions", messages, { messages: [] }],
    ["dialect_messages", "/v1/responses", messages, { input: "Hi?", store: false }],
    ["dialect_responses", "/v1/messages", responses, messagesOf(false)],
    ["dialect_responses", "/v1/chat/completions", responses, { messages: [] }],
  ] as const)("is 502 from %s at %s", async (dialect, path, script, body) => {
    const caller = await startAgentCaller(causeway, dialect);
    caller.upstream.play(script);
    const asked = "messages" in body ? [{ role: "user", content: "Hi?" }] : undefined;
    const answer = await post(caller, path, { ...body, messages: asked });
    expect(answer.status).toBe(502);
    expect(answer.text).toContain("sent more values than can be read");
  });

  it("is passed through to a caller of its own dialect", async () => {
    const caller = await startAgentCaller(causeway, "dialect_chat");
    caller.upstream.play(chat);
    const answer = await post(caller, "/v1/chat/completions", {
      messages: [{ role: "user", content: "Hi?" }],
    });
    expect(answer.status).toBe(200);
  });

  it("is translated when they are log probabilities", async () => {
    const caller = await startAgentCaller(causeway, "dialect_chat");
    const logprobs = { content: Array.from({ length: 20_000 }, () => logprob) };
    const said = { role: "assistant", content: "Hi." };
    caller.upstream.play(
      json({ choices: [{ index: 0, message: said, logprobs, finish_reason: "stop" }] }),
    );
    const answer = await post(caller, "/v1/responses", { input: "Hi?", store: false });
    expect(answer.status).toBe(200);
  });
});
