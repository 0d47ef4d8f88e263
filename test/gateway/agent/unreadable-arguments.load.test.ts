/** Calls of tools whose arguments are not one JSON object, over each dialect of engines and of callers. */
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModernServer, textResult, type ServedCall } from "../../agent/tools/mcp-servers.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import {
  scriptedOutput,
  startAgentCaller,
  type AgentCaller,
  type UpstreamDialect,
} from "./agent-caller.ts";

type Json = Record<string, unknown>;

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const upstreams: readonly UpstreamDialect[] = [
  "dialect_chat",
  "dialect_messages",
  "dialect_responses",
];

const cut = ["cut off", '{"city":"Os'] as const;
const two = ["two objects", '{"city":"Oslo"}{"city":"Rome"}'] as const;
const none = ["null", "null"] as const;

/** Each text over one dialect: only its decoder knows a dialect, and passes the text on. */
const cases = [
  ["dialect_chat", ...cut],
  ["dialect_messages", ...two],
  ["dialect_responses", ...none],
] as const;

/** What the engine was sent of calls in a request: their arguments, as its dialect has them. */
function sentArguments(dialect: UpstreamDialect, body: Json | undefined): readonly unknown[] {
  if (dialect === "dialect_responses") {
    return objects(body?.["input"])
      .filter(({ type }) => type === "function_call")
      .map((item) => parsed(item["arguments"]));
  }
  const messages = objects(body?.["messages"]);
  if (dialect === "dialect_chat") {
    const calls = messages.flatMap((message) => objects(message["tool_calls"]));
    return calls.map((call) => parsed((call["function"] as Json)["arguments"]));
  }
  const blocks = messages.flatMap(({ content }) => objects(content));
  return blocks.filter(({ type }) => type === "tool_use").map(({ input }) => input);
}

function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

/** Rejects what such an engine would refuse. */
function parsed(text: unknown): unknown {
  expect(typeof text).toBe("string");
  return JSON.parse(String(text));
}

const told = "The arguments are no JSON object";
const schema = { type: "object" as const, properties: { city: { type: "string" } } };
const declaredTool = {
  type: "function" as const,
  name: "weather",
  parameters: schema,
  strict: false,
};
const named = (session: string) => ({ headers: { "x-svc-session": session } });

function lastBody({ bodies }: AgentCaller): Json | undefined {
  return bodies().at(-1);
}

async function withServer(dialect: UpstreamDialect, approval: "never" | "always") {
  const calls: ServedCall[] = [];
  const server = await startModernServer({
    tools: [{ name: "weather" }],
    call: (params) => {
      calls.push(params);
      return textResult("wet");
    },
  });
  const caller = await startAgentCaller(causeway, dialect);
  const body = { kind: "mcp", name: "Sky", url: server.url, approval };
  const made = await causeway.call("POST", "/v1/items", { token: caller.user.session, body });
  expect(made.status).toBe(201);
  return { caller, calls };
}

function ask({ openai }: AgentCaller, input: OpenAI.Responses.ResponseCreateParams["input"]) {
  return openai.responses.create({ model: "agent", input: input ?? "" }, named("s"));
}

describe.each(cases)("arguments of a model over %s that are %s", (dialect, _what, text) => {
  it.each(["never", "always"] as const)(
    "are an error to the model, and no call, for a server's tool with approval `%s`",
    async (approval) => {
      const { caller, calls } = await withServer(dialect, approval);
      const call = { id: "call_1", name: "weather", arguments: text };
      caller.upstream.playOnce(scriptedOutput(dialect, { calls: [call] }));
      caller.upstream.play(scriptedOutput(dialect, { text: "Sorry." }));
      const first = await ask(caller, "Oslo?");
      expect(first.output_text).toBe("Sorry.");
      expect(sentArguments(dialect, lastBody(caller))).toEqual([{}]);
      expect(JSON.stringify(lastBody(caller)).split(told)).toHaveLength(2);
      expect((await ask(caller, "And now?")).status).toBe("completed");
      expect(sentArguments(dialect, lastBody(caller))).toEqual([{}]);
      expect(JSON.stringify(lastBody(caller)).split(told)).toHaveLength(2);
      expect(calls).toEqual([]);
    },
  );

  it("are an error to the model for a tool of the agent's own", async () => {
    const caller = await startAgentCaller(causeway, dialect);
    const call = { id: "call_1", name: "package_health", arguments: text };
    caller.upstream.playOnce(scriptedOutput(dialect, { calls: [call] }));
    caller.upstream.play(scriptedOutput(dialect, { text: "Sorry." }));
    expect((await ask(caller, "Is it well?")).output_text).toBe("Sorry.");
    await ask(caller, "And now?");
    expect(sentArguments(dialect, lastBody(caller))).toEqual([{}]);
    expect(JSON.stringify(lastBody(caller)).split(told)).toHaveLength(2);
  });

  it("reach a responses caller as written, and its result the model with an error", async () => {
    const caller = await startAgentCaller(causeway, dialect);
    const call = { id: "call_1", name: "weather", arguments: text };
    caller.upstream.playOnce(scriptedOutput(dialect, { calls: [call] }));
    caller.upstream.play(scriptedOutput(dialect, { text: "Sorry." }));
    const asked = { model: "agent", tools: [declaredTool] };
    const first = await caller.openai.responses.create({ ...asked, input: "Oslo?" });
    expect(first.output).toMatchObject([{ type: "function_call", arguments: text }]);
    const result = { type: "function_call_output" as const, call_id: "call_1", output: "unread" };
    const second = await caller.openai.responses.create({
      ...asked,
      previous_response_id: first.id,
      input: [result],
    });
    expect(second.output_text).toBe("Sorry.");
    expect(sentArguments(dialect, lastBody(caller))).toEqual([{}]);
    expect(JSON.stringify(lastBody(caller))).toMatch(new RegExp(`${told}.*unread`));
  });

  it("reach a chat caller as written, and an unanswered call ends no thread", async () => {
    const caller = await startAgentCaller(causeway, dialect);
    const call = { id: "call_1", name: "weather", arguments: text };
    caller.upstream.playOnce(scriptedOutput(dialect, { calls: [call] }));
    caller.upstream.play(scriptedOutput(dialect, { text: "Sorry." }));
    const tools = [
      { type: "function" as const, function: { name: "weather", parameters: schema } },
    ];
    const say = (content: string) =>
      caller.openai.chat.completions.create(
        { model: "agent", tools, messages: [{ role: "user", content }] },
        named("chat"),
      );
    const { choices } = await say("Oslo?");
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: text } }]);
    expect((await say("Never mind.")).choices[0]?.message.content).toBe("Sorry.");
    expect(sentArguments(dialect, lastBody(caller))).toEqual([{}]);
    expect(JSON.stringify(lastBody(caller))).toContain(told);
  });

  it("are an object to a messages caller, streamed and whole, whose result goes on", async () => {
    const input = text.startsWith('{"city":"Os') && !text.endsWith("}") ? expect.anything() : {};
    for (const isStream of [false, true]) {
      const caller = await startAgentCaller(causeway, dialect);
      const call = { id: "call_1", name: "weather", arguments: text };
      caller.upstream.playOnce(scriptedOutput(dialect, { calls: [call] }));
      caller.upstream.play(scriptedOutput(dialect, { text: "Sorry." }));
      const asked = {
        model: "agent",
        max_tokens: 99,
        tools: [{ name: "weather", input_schema: schema }],
      };
      const question = { role: "user" as const, content: "Oslo?" };
      const send = { ...asked, messages: [question] };
      const first = isStream
        ? await caller.anthropic.messages.stream(send, named("m")).finalMessage()
        : await caller.anthropic.messages.create(send, named("m"));
      const [use] = first.content;
      expect(use).toMatchObject({ type: "tool_use", input });
      const id = use?.type === "tool_use" ? use.id : "";
      const content = [{ type: "tool_result" as const, tool_use_id: id, content: "unread" }];
      const messages = [
        question,
        { role: "assistant" as const, content: first.content },
        { role: "user" as const, content },
      ];
      const second = await caller.anthropic.messages.create({ ...asked, messages }, named("m"));
      expect(second.content).toMatchObject([{ type: "text", text: "Sorry." }]);
      expect(sentArguments(dialect, lastBody(caller))).toEqual([{}]);
      expect(JSON.stringify(lastBody(caller))).toMatch(new RegExp(`${told}.*unread`));
    }
  });

  it("do not end a thread whose history holds them", async () => {
    const caller = await startAgentCaller(causeway, dialect);
    caller.upstream.play(scriptedOutput(dialect, { text: "Sorry." }));
    const calls = [
      { id: "call_1", type: "function" as const, function: { name: "weather", arguments: text } },
    ];
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
      { role: "user", content: "Oslo?" },
      { role: "assistant", tool_calls: calls },
      { role: "tool", tool_call_id: "call_1", content: "unread" },
      { role: "assistant", content: "Hm." },
      { role: "user", content: "And now?" },
    ];
    const asked = { model: "agent", messages };
    const first = await caller.openai.chat.completions.create(asked, named("old"));
    expect(first.choices[0]?.message.content).toBe("Sorry.");
    const second = await caller.openai.chat.completions.create(asked, named("old"));
    expect(second.choices[0]?.message.content).toBe("Sorry.");
    expect(sentArguments(dialect, lastBody(caller))).toEqual([{}]);
    expect(JSON.stringify(lastBody(caller))).toMatch(new RegExp(`${told}.*unread`));
  });
});

describe.each(upstreams)("a model over %s that writes no arguments", (dialect) => {
  it.each(["", "  "])("calls the tool with an empty object for %j", async (text) => {
    const { caller, calls } = await withServer(dialect, "never");
    const call = { id: "call_1", name: "weather", arguments: text };
    caller.upstream.playOnce(scriptedOutput(dialect, { calls: [call] }));
    caller.upstream.play(scriptedOutput(dialect, { text: "Wet." }));
    expect((await ask(caller, "Oslo?")).output_text).toBe("Wet.");
    await ask(caller, "And now?");
    expect(calls).toMatchObject([{ arguments: {} }]);
    expect(sentArguments(dialect, lastBody(caller))).toEqual([{}]);
    expect(JSON.stringify(lastBody(caller))).not.toContain(told);
  });
});
