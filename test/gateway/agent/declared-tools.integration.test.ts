import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller, type UpstreamDialect } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const schema = { type: "object" as const, properties: { city: { type: "string" } } };
const call = { id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' };
const own = { id: "call_0", name: "read_skill", arguments: '{"name":"none"}' };
const upstreams: readonly UpstreamDialect[] = [
  "dialect_chat",
  "dialect_messages",
  "dialect_responses",
];
const session = (name: string) => ({ headers: { "x-svc-session": name } });

describe.each(upstreams)("a tool that its caller declares, over %s,", (dialect) => {
  const asks = scriptedOutput(dialect, { text: "Let me see.", calls: [call] });
  const answers = scriptedOutput(dialect, { text: "Rain." });

  it("[agent.declared-tools] ends the turn of a chat caller, whose result is the next one", async () => {
    const { openai, upstream, bodies } = await startAgentCaller(causeway, dialect);
    upstream.playOnce(asks, answers);
    const tools = [
      { type: "function" as const, function: { name: "weather", parameters: schema } },
    ];
    const question = { role: "user" as const, content: "Oslo?" };
    const first = await openai.chat.completions.create(
      { model: "agent", messages: [question], tools },
      session("t"),
    );
    const [choice] = first.choices;
    expect(choice).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Let me see.",
        tool_calls: [{ function: { name: "weather", arguments: call.arguments } }],
      },
    });
    const id = choice?.message.tool_calls?.[0]?.id ?? "";
    const said = choice?.message ?? question;
    const result = { role: "tool" as const, tool_call_id: id, content: "wet" };
    const messages = [question, said, result];
    const second = await openai.chat.completions.create(
      { model: "agent", messages, tools },
      session("t"),
    );
    expect(second.choices[0]).toMatchObject({
      message: { content: "Rain." },
      finish_reason: "stop",
    });
    expect(JSON.stringify(bodies().at(-1))).toContain("wet");
    const other = [question, said, { ...result, content: "dry" }];
    const late = openai.chat.completions.create(
      { model: "agent", messages: other, tools },
      session("t"),
    );
    await expect(late).rejects.toMatchObject({ status: 400, param: "messages[2]" });
  });

  it("[agent.declared-tools] ends the turn of a messages caller, streamed, whose result is the next one", async () => {
    const { anthropic, upstream, bodies } = await startAgentCaller(causeway, dialect);
    upstream.playOnce(asks, answers);
    const tools = [{ name: "weather", input_schema: schema }];
    const asked = { model: "agent", max_tokens: 500, tools };
    const question = { role: "user" as const, content: "Oslo?" };
    const first = await anthropic.messages
      .stream({ ...asked, messages: [question] }, session("t"))
      .finalMessage();
    expect(first.stop_reason).toBe("tool_use");
    const use = first.content.find((block) => block.type === "tool_use");
    expect(use).toMatchObject({ name: "weather", input: { city: "Oslo" } });
    const content = [
      { type: "tool_result" as const, tool_use_id: use?.id ?? "", content: "wet" },
      { type: "text" as const, text: "Well?" },
    ];
    const messages = [
      question,
      { role: "assistant" as const, content: first.content },
      { role: "user" as const, content },
    ];
    const second = await anthropic.messages.create({ ...asked, messages }, session("t"));
    expect(second).toMatchObject({ content: [{ text: "Rain." }], stop_reason: "end_turn" });
    const sent = JSON.stringify(bodies().at(-1));
    expect(sent).toContain("wet");
    expect(sent).toContain("Well?");
  });

  it.each([false, true])(
    "[agent.declared-tools] runs in the official client's tool runner, stream: %s",
    async (stream) => {
      const { anthropic, upstream, bodies } = await startAgentCaller(causeway, dialect);
      upstream.playOnce(asks, answers);
      const runner = anthropic.beta.messages.toolRunner({
        model: "agent",
        max_tokens: 500,
        max_iterations: 3,
        stream,
        messages: [{ role: "user", content: "Oslo?" }],
        tools: [
          {
            type: "custom",
            name: "weather",
            input_schema: schema,
            run: () => "wet",
            parse: (input: unknown) => input,
          },
        ],
      });
      await runner.runUntilDone();
      expect((await runner.done()).content).toMatchObject([{ text: "Rain." }]);
      const sent = JSON.stringify(bodies().at(-1));
      expect(sent).toContain("Oslo?");
      expect(sent).toContain("wet");
    },
  );

  it("[client-fields.thread] refuses the thread of a messages caller", async () => {
    const { call: request } = await startAgentCaller(causeway, dialect);
    const reply = await request("POST", "/v1/messages", {
      model: "agent",
      max_tokens: 500,
      messages: [{ role: "user", content: "Oslo?" }],
      thread: { type: "create" },
    });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      error: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } },
    });
  });

  it("[agent.declared-tools] ends the turn of a responses caller, and is left unanswered by a plain message", async () => {
    const { openai, upstream, bodies } = await startAgentCaller(causeway, dialect);
    upstream.playOnce(asks, answers);
    const tools = [
      { type: "function" as const, name: "weather", parameters: schema, strict: false },
    ];
    const first = await openai.responses.create({ model: "agent", input: "Oslo?", tools });
    expect(first.status).toBe("completed");
    expect(first.output.find(({ type }) => type === "function_call")).toMatchObject({
      name: "weather",
      arguments: call.arguments,
    });
    const previous_response_id = first.id;
    const unknown = openai.responses.create({
      model: "agent",
      previous_response_id,
      input: [{ type: "function_call_output", call_id: "call_none", output: "x" }],
    });
    await expect(unknown).rejects.toMatchObject({ status: 400, param: "input[0]" });
    const second = await openai.responses.create({
      model: "agent",
      previous_response_id,
      input: "Never mind.",
    });
    expect(second.output_text).toBe("Rain.");
    const sent = JSON.stringify(bodies().at(-1));
    expect(sent).toContain("without a result of this call");
    expect(sent).toContain("Never mind.");
    const late = openai.responses.create({
      model: "agent",
      previous_response_id: second.id,
      input: [{ type: "function_call_output", call_id: "call_1", output: "late" }],
    });
    await expect(late).rejects.toMatchObject({ status: 400, param: "input[0]" });
  });
});

describe.each(upstreams)("a tool of the agent's own, over %s,", (dialect) => {
  it("[agent.shown] [agent.data] is not shown to callers of chat and messages, and its output to those of responses", async () => {
    const { openai, anthropic, upstream, user } = await startAgentCaller(causeway, dialect);
    const skill = { kind: "skills", name: "knots", description: "Tie knots.", text: "Pull hard." };
    const made = await causeway.call("POST", "/v1/items", { token: user.session, body: skill });
    expect(made.status).toBe(201);
    const script = () =>
      upstream.playOnce(
        scriptedOutput(dialect, {
          text: "Reading.",
          calls: [{ ...own, arguments: '{"name":"knots"}' }],
        }),
        scriptedOutput(dialect, { text: "Pull!" }),
      );
    const messages = [{ role: "user" as const, content: "How?" }];
    script();
    const chat = await openai.chat.completions.create({ model: "agent", messages });
    expect(chat.choices[0]).toMatchObject({
      message: { content: "Reading.\n\nPull!" },
      finish_reason: "stop",
    });
    expect(chat.choices[0]?.message.tool_calls).toBeUndefined();
    script();
    const stream = anthropic.messages.stream({ model: "agent", max_tokens: 99, messages });
    const message = await stream.finalMessage();
    expect(message).toMatchObject({
      content: [{ text: "Reading." }, { text: "Pull!" }],
      stop_reason: "end_turn",
    });
    script();
    const response = await openai.responses.create({ model: "agent", input: "How?" });
    const types = response.output.map(({ type }) => type);
    expect(types).toEqual(["message", "function_call", "function_call_output", "message"]);
    expect(JSON.stringify(response.output)).toContain("Pull hard.");
  });
});
