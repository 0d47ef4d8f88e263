import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import {
  bases,
  faultIn,
  hello,
  schema,
  send,
  tools,
  turn,
  type Dialect,
} from "./call-strict-upstream.ts";
import { startStrictUpstream } from "./start-strict-upstream.ts";

const use = { type: "tool_use", id: "t1", name: "weather", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "sun" };
const answered = (block: object) => ({
  messages: [...hello, { role: "assistant", content: [use] }, { role: "user", content: [block] }],
});
const called = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: "{}" } }],
};
const made = { type: "function_call", call_id: "c1", name: "weather", arguments: "{}" };

describe("the strict upstream refuses as its vendor does", () => {
  it.each<[Dialect, string, JsonObject]>([
    ["chat", "thread", { thread: {} }],
    ["chat", "messages[1]", { messages: [...hello, { role: "system", content: "s" }, ...hello] }],
    ["chat", "messages[1]", { messages: [...hello, { role: "developer", content: "s" }] }],
    ["chat", "messages[2]", { messages: [...hello, called, ...hello] }],
    [
      "chat",
      "messages[1]",
      { messages: [...hello, { role: "tool", tool_call_id: "x", content: "s" }] },
    ],
    [
      "chat",
      "messages[0].content[0].type",
      { messages: [{ role: "user", content: [{ type: "thinking" }] }] },
    ],
    ["chat", "messages[0].cache_control", { messages: [{ ...hello[0], cache_control: {} }] }],
    [
      "chat",
      "tools[0].function.name",
      { tools: [{ type: "function", function: { name: "a b" } }] },
    ],
    ["chat", "tools", { tools: "none" }],
    ["chat", "tool_choice", { tool_choice: "auto" }],
    ["chat", "max_tokens", { max_tokens: 0 }],
    ["messages", "context_management", { context_management: {} }],
    ["messages", "max_tokens", { max_tokens: undefined }],
    ["messages", "messages", { messages: [{ role: "assistant", content: "a" }, ...hello] }],
    ["messages", "messages[1].role", { messages: [...hello, { role: "system", content: "s" }] }],
    ["messages", "messages[0].content", { messages: [{ role: "user", content: " " }] }],
    ["messages", "messages[1]", turn(use)],
    [
      "messages",
      "messages[2]",
      {
        messages: [
          ...hello,
          { role: "assistant", content: "a" },
          { role: "user", content: [result] },
        ],
      },
    ],
    [
      "messages",
      "messages[2].content[0].content",
      answered({ ...result, content: "", is_error: true }),
    ],
    ["messages", "messages[2].content[0].content", answered({ ...result, content: " " })],
    [
      "messages",
      "messages[1].content[0].signature",
      turn({ type: "thinking", thinking: "t", signature: "made up" }),
    ],
    ["messages", "messages[1].content[0].id", turn({ ...use, id: "a.b" })],
    [
      "messages",
      "thinking.enabled.budget_tokens",
      { thinking: { type: "enabled", budget_tokens: 100 } },
    ],
    ["messages", "max_tokens", { thinking: { type: "enabled", budget_tokens: 4000 } }],
    ["messages", "tools", { tools: "none" }],
    ["messages", "tools[0].input_schema.type", { tools: [{ name: "a", input_schema: {} }] }],
    ["responses", "stop", { stop: ["x"] }],
    ["responses", "tools", { tools: "none" }],
    ["responses", "input", { input: [...hello, made] }],
    [
      "responses",
      "input",
      { input: [{ type: "function_call_output", call_id: "c1", output: "s" }] },
    ],
    [
      "responses",
      "input[0].content[0].type",
      { input: [{ role: "user", content: [{ type: "text", text: "a" }] }] },
    ],
    [
      "responses",
      "input[0].encrypted_content",
      { input: [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }] },
    ],
    [
      "responses",
      "tools[0].parameters",
      { tools: [{ type: "function", name: "f", strict: true, parameters: schema }] },
    ],
    ["responses", "max_output_tokens", { max_output_tokens: 1 }],
  ])("the upstream of %s refuses what is wrong at %s", (dialect, path, body) => {
    expect(faultIn(dialect, body)).toBe(path);
  });

  it("but takes its own answer back, and orders of a developer", () => {
    const orders = { role: "developer", content: "Be brief." };
    const answer = { role: "assistant", content: "Hi.", refusal: null, annotations: [] };
    expect(faultIn("chat", { messages: [orders, ...hello, answer, ...hello] })).toBeUndefined();
  });

  it("but takes a result that says nothing", () => {
    expect(faultIn("messages", answered({ ...result, content: "" }))).toBeUndefined();
  });

  it.each(["chat", "responses"] as const)("with its own 400 (%s)", async (dialect) => {
    expect(await send(dialect, { shiny: 1 })).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error", param: "shiny", code: null } },
    });
  });

  it("with its own 400 (messages)", async () => {
    const message = "messages.0.content: text content blocks must be non-empty";
    expect(await send("messages", { messages: [{ role: "user", content: "" }] })).toMatchObject({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message } },
    });
  });
});

describe("the strict upstream keeps, as its vendors do,", () => {
  /** Sends each body, made of the answer before it, to one double. */
  async function sendAll(path: string, ...bodies: ((last: JsonObject) => JsonObject)[]) {
    const { origin } = await startStrictUpstream();
    let last: JsonObject = {};
    for (const body of bodies) {
      const answer = await fetch(`${origin}/v1${path}`, {
        method: "POST",
        headers: { "anthropic-beta": "threads-2026-07-01" },
        body: JSON.stringify(body(last)),
      });
      last = (await answer.json()) as JsonObject;
    }
    return JSON.stringify(last);
  }
  const called = (last: JsonObject) => (last["output"] as { id: string; call_id: string }[])[0];
  const ask = { model: "m", tools: tools.responses, input: "What is the weather in Paris?" };
  const output = (last: JsonObject) => ({
    type: "function_call_output",
    call_id: called(last)?.call_id,
    output: "sun",
  });

  it("responses that may be gone on from", async () => {
    const next = (last: JsonObject) => ({
      model: "m",
      previous_response_id: last["id"],
      input: [output(last)],
    });
    const gone = await sendAll("/responses", () => ask, next);
    expect(gone).toContain("The tools said: sun");
    expect(gone).toMatch(/"previous_response_id":"resp_/);
    const forgotten = await sendAll("/responses", () => ({ ...ask, store: false }), next);
    expect(forgotten).toContain('"param":"input"');
  });

  it("responses that may be asked for", async () => {
    const { origin } = await startStrictUpstream();
    const made = await fetch(`${origin}/v1/responses`, {
      method: "POST",
      body: JSON.stringify(bases.responses),
    });
    const answer = (await made.json()) as { id: string };
    const kept = await fetch(`${origin}/v1/responses/${answer.id}`);
    expect(await kept.json()).toEqual(answer);
    expect((await fetch(`${origin}/v1/responses/resp_unknown`)).status).toBe(404);
  });

  it("items that may be referred to", async () => {
    const next = (last: JsonObject) => ({
      model: "m",
      input: [
        { role: "user", content: "What is the weather?" },
        { type: "item_reference", id: called(last)?.id },
        output(last),
      ],
    });
    expect(await sendAll("/responses", () => ask, next)).toContain("The tools said: sun");
  });

  it("threads of messages", async () => {
    const create = { ...bases.messages, thread: { type: "create" } };
    const next = (last: JsonObject) => ({
      ...bases.messages,
      messages: [{ role: "user", content: "Reply with exactly: pong" }],
      thread: { type: "continue", previous_message_id: last["id"] },
    });
    expect(await sendAll("/messages", () => create, next)).toContain('"text":"pong"');
    expect(await sendAll("/messages", next)).toContain("Thread not found");
  });
});

it("runs as a program of its own", async () => {
  const program = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [program, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const origin = line.replace("strict upstream ready ", "");
  expect(await (await fetch(`${origin}/v1/models`)).json()).toMatchObject({ object: "list" });
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
