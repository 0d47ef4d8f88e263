/** Results of tools that a client sends again, as official clients do when a connection breaks. */
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTwoInstances, type TwoInstances } from "../../support/start-two-instances.ts";
import type { TestInstance } from "../../support/test-instance.ts";
import {
  clientsOf,
  scriptedOutput,
  startAgentCaller,
  type UpstreamDialect,
} from "./agent-caller.ts";

let servers: TwoInstances;
let first: TestInstance;
let second: TestInstance;

beforeAll(async () => {
  servers = await startTwoInstances();
  ({ first, second } = servers);
});

afterAll(() => servers.close());

const question = { role: "user" as const, content: "Buy it." };
const upstreams: readonly UpstreamDialect[] = [
  "dialect_chat",
  "dialect_messages",
  "dialect_responses",
];
const weather = { id: "call_9", name: "weather", arguments: '{"city":"Oslo"}' };
const schema = { type: "object" as const, properties: {} };

it("results that are sent again are refused with 429 beyond 32 callers that join one running turn", async () => {
  const caller = await startAgentCaller(first);
  const { openai, upstream } = caller;
  const release = Promise.withResolvers<void>();
  const answer = scriptedOutput("dialect_chat", { text: "Rain." });
  upstream.playOnce(scriptedOutput("dialect_chat", { calls: [weather] }));
  upstream.play((...exchange) => void release.promise.then(() => answer(...exchange)));
  const tools = [{ type: "function" as const, name: "weather", parameters: schema, strict: false }];
  const asked = await openai.responses.create({ model: "agent", input: "Oslo?", tools });
  const send = () =>
    openai.responses.create({
      model: "agent",
      tools,
      previous_response_id: asked.id,
      input: [{ type: "function_call_output", call_id: "call_9", output: "wet" }],
    });
  const refusals: unknown[] = [];
  const all = Array.from({ length: 35 }, () =>
    send().catch((error: unknown) => refusals.push(error)),
  );
  await expect.poll(() => refusals.length, { timeout: 20_000 }).toBe(2);
  release.resolve();
  await Promise.all(all);
  expect(refusals).toMatchObject([{ status: 429 }, { status: 429 }]);
});

describe.each(upstreams)("results that are sent again, over %s,", (dialect) => {
  it("join the turn that they began behind the same response", async () => {
    const caller = await startAgentCaller(first, dialect);
    const { openai, upstream, bodies } = caller;
    const elsewhere = clientsOf(second, caller.secret).openai;
    upstream.play(scriptedOutput(dialect, { text: "Rain." }));
    upstream.playOnce(scriptedOutput(dialect, { calls: [weather] }));
    const tools = [
      { type: "function" as const, name: "weather", parameters: schema, strict: false },
    ];
    const asked = await openai.responses.create({ model: "agent", input: "Oslo?", tools });
    const result = (output: string) => ({
      model: "agent",
      tools,
      previous_response_id: asked.id,
      input: [{ type: "function_call_output" as const, call_id: "call_9", output }],
    });
    const answers = await Promise.all(
      [openai, elsewhere, openai, elsewhere].map((one) => one.responses.create(result("wet"))),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(bodies()).toHaveLength(2);
    const other = await openai.responses.create(result("dry"));
    expect(other.id).not.toBe(answers[0]?.id);
    const branch = await openai.responses.create(result("dry"));
    expect(branch.id).toBe(other.id);
    expect(bodies()).toHaveLength(3);
  });

  it("join the last turn of the session for callers of chat and messages", async () => {
    const caller = await startAgentCaller(first, dialect);
    const { openai, anthropic, upstream, bodies } = caller;
    upstream.play(scriptedOutput(dialect, { text: "Rain." }));
    const asks = scriptedOutput(dialect, { calls: [weather] });
    upstream.playOnce(asks);
    const tools = [
      { type: "function" as const, function: { name: "weather", parameters: schema } },
    ];
    const named = (session: string) => ({ headers: { "x-svc-session": session } });
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: "Oslo?" }];
    const chatBody = { model: "agent", messages, tools };
    const { choices } = await openai.chat.completions.create(chatBody, named("chat"));
    const said = choices[0]?.message;
    const call = said?.tool_calls?.[0]?.id ?? "";
    const result = (content: string) => ({
      ...chatBody,
      messages: [
        ...messages,
        said ?? question,
        { role: "tool" as const, tool_call_id: call, content },
      ],
    });
    const both = await Promise.all(
      [1, 2].map(() => openai.chat.completions.create(result("wet"), named("chat")).withResponse()),
    );
    expect(new Set(both.map(({ response }) => response.headers.get("x-svc-turn"))).size).toBe(1);
    expect(both.map(({ data }) => data.choices[0]?.message.content)).toEqual(["Rain.", "Rain."]);
    expect(bodies()).toHaveLength(2);
    const other = openai.chat.completions.create(result("dry"), named("chat"));
    await expect(other).rejects.toMatchObject({ status: 400, param: "messages[2]" });

    upstream.playOnce(asks);
    const asked = {
      model: "agent",
      max_tokens: 99,
      tools: [{ name: "weather", input_schema: schema }],
    };
    const begun = await anthropic.messages.create(
      { ...asked, messages: [{ role: "user", content: "Oslo?" }] },
      named("messages"),
    );
    const use = begun.content.find((block) => block.type === "tool_use");
    const content = [
      { type: "tool_result" as const, tool_use_id: use?.id ?? "", content: "wet" },
      { type: "text" as const, text: "Well?" },
    ];
    const resent = {
      ...asked,
      messages: [
        { role: "user" as const, content: "Oslo?" },
        { role: "assistant" as const, content: begun.content },
        { role: "user" as const, content },
      ],
    };
    const whole = await anthropic.messages.create(resent, named("messages"));
    const streamed = await anthropic.messages.stream(resent, named("messages")).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(bodies()).toHaveLength(4);
  });
});
