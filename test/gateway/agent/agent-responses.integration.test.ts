import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller, type UpstreamDialect } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance({ file: { agents: { fast: { instructions: "Be brief." } } } });
});

afterAll(() => causeway.close());

const upstreams: readonly UpstreamDialect[] = [
  "dialect_chat",
  "dialect_messages",
  "dialect_responses",
];

const question = "Who are you?";

describe.each(upstreams)("the agent over an upstream of %s", (dialect) => {
  it("[service.agent] [call.agent-chat] answers callers of chat, whole and streamed", async () => {
    const { openai, upstream } = await startAgentCaller(causeway, dialect);
    upstream.play(scriptedOutput(dialect, { text: "I am Bo." }));
    const messages = [{ role: "user" as const, content: question }];
    const { data, response } = await openai.chat.completions
      .create({ model: "agent", messages })
      .withResponse();
    expect(data).toMatchObject({
      model: "agent",
      choices: [{ message: { content: "I am Bo." }, finish_reason: "stop" }],
    });
    expect(data.usage?.completion_tokens).toBeGreaterThan(0);
    expect(response.headers.get("x-svc-turn")).toMatch(/^turn_/);
    expect(response.headers.get("x-svc-session")).toMatch(/^thread_/);
    expect(response.headers.get("x-svc-call")).toBeNull();
    expect(response.headers.get("x-svc-target")).toBe("custom/box/m");
    const stream = await openai.chat.completions.create({ model: "agent", messages, stream: true });
    let text = "";
    const finishes: unknown[] = [];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finishes.push(chunk.choices[0]?.finish_reason);
    }
    expect(text).toBe("I am Bo.");
    expect(finishes).toContain("stop");
  });

  it("[agent.dialects] [agent.headers] answers callers of messages, whole and streamed", async () => {
    const { anthropic, upstream } = await startAgentCaller(causeway, dialect);
    upstream.play(scriptedOutput(dialect, { text: "I am Bo." }));
    const asked = {
      model: "agent-fast",
      max_tokens: 100,
      messages: [{ role: "user" as const, content: question }],
    };
    const { data, response } = await anthropic.messages.create(asked).withResponse();
    expect(data).toMatchObject({
      model: "agent-fast",
      content: [{ type: "text", text: "I am Bo." }],
      stop_reason: "end_turn",
    });
    expect(response.headers.get("x-svc-turn")).toMatch(/^turn_/);
    const final = await anthropic.messages.stream(asked).finalMessage();
    expect(final).toMatchObject({
      content: [{ type: "text", text: "I am Bo." }],
      stop_reason: "end_turn",
    });
    expect(final.usage.output_tokens).toBeGreaterThan(0);
  });

  it("[call.agent-responses] answers callers of responses, whole, streamed and in the background", async () => {
    const { openai, upstream } = await startAgentCaller(causeway, dialect);
    upstream.play(scriptedOutput(dialect, { text: "I am Bo." }));
    const asked = { model: "agent-omni", input: question };
    const { data, response } = await openai.responses.create(asked).withResponse();
    expect(data).toMatchObject({
      model: "agent-omni",
      status: "completed",
      output_text: "I am Bo.",
      background: false,
    });
    expect(response.headers.get("x-svc-turn")).toBe(data.id);
    expect(await openai.responses.retrieve(data.id)).toMatchObject({ output_text: "I am Bo." });
    const types: string[] = [];
    for await (const event of await openai.responses.create({ ...asked, stream: true })) {
      types.push(event.type);
    }
    expect(types[0]).toBe("response.created");
    expect(types).toContain("response.output_text.delta");
    expect(types.at(-1)).toBe("response.completed");
    const queued = await openai.responses.create({ ...asked, background: true });
    expect(queued).toMatchObject({ status: "queued", background: true });
  });
});
