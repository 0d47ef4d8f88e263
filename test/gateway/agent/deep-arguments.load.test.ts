/** Arguments of tool calls that nest deeper than JSON can be written without ending the stack. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { model, scriptedOutput, startAgentCaller, type UpstreamDialect } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const levels = 5000;
const deep = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const call = { id: "call_1", name: "weather", arguments: deep };
const schema = { type: "object" };
const question = { role: "user", content: "Oslo?" };
const more = { role: "user", content: "Well?" };

const callers = [
  {
    path: "/v1/chat/completions",
    tools: [{ type: "function", function: { name: "weather", parameters: schema } }],
    first: { messages: [question] },
    next: { messages: [question, more] },
    shown: JSON.stringify(deep),
  },
  {
    path: "/v1/messages",
    tools: [{ name: "weather", input_schema: schema }],
    first: { max_tokens: 500, messages: [question] },
    next: { max_tokens: 500, messages: [question, more] },
    shown: '"input":{}',
  },
  {
    path: "/v1/responses",
    tools: [{ type: "function", name: "weather", parameters: schema, strict: false }],
    first: { input: "Oslo?" },
    next: { input: "Well?" },
    shown: JSON.stringify(deep),
  },
] as const;

const upstreams: readonly UpstreamDialect[] = [
  "dialect_chat",
  "dialect_messages",
  "dialect_responses",
];

const cases = upstreams.flatMap((dialect) =>
  callers.flatMap((caller) =>
    [false, true].map((stream) => ({
      ...caller,
      dialect,
      stream,
      kind: stream ? "stream" : "whole",
    })),
  ),
);

async function start(dialect: UpstreamDialect, path: string) {
  const caller = await startAgentCaller(causeway, dialect);
  const post = async (body: object) => {
    const response = await fetch(causeway.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${caller.secret}`,
        "content-type": "application/json",
        "x-svc-session": "t",
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  return { ...caller, post };
}

describe.each(cases)("arguments of 5000 levels over $dialect to $path ($kind)", (given) => {
  const { dialect, path, tools, stream, first, next, shown } = given;

  it("reach an agent's caller, and are an error to the model in the next turn", async () => {
    const { upstream, bodies, post } = await start(dialect, path);
    upstream.play(scriptedOutput(dialect, { calls: [call] }));
    const one = await post({ model: "agent", stream, tools, ...first });
    expect(one.status).toBe(200);
    if (!stream) expect(one.text).toContain(shown);
    upstream.play(scriptedOutput(dialect, { text: "Rain." }));
    const two = await post({ model: "agent", stream, tools, ...next });
    expect(two.status).toBe(200);
    expect(two.text).toContain("Rain.");
    const asked = JSON.stringify(bodies().at(-1));
    expect(asked).toContain("The arguments nest too deep");
    expect(asked.length).toBeLessThan(levels * 2);
  });

  it("are a clear result of an ordinary model", async () => {
    const { upstream, post } = await start(dialect, path);
    upstream.play(scriptedOutput(dialect, { calls: [call] }));
    const answer = await post({ model, stream, tools, ...first });
    if (path === "/v1/messages" && !stream) {
      expect(answer.status).toBe(502);
      expect(answer.text).toContain("sent arguments nested deeper than 256 levels");
    } else {
      expect(answer.status).toBe(200);
      expect(answer.text.length).toBeGreaterThan(levels * 6);
    }
  });
});

const histories = [
  [
    "/v1/chat/completions",
    "messages[1].tool_calls[0].function.arguments",
    {
      messages: [
        question,
        {
          role: "assistant",
          tool_calls: [
            { id: "c", type: "function", function: { name: "weather", arguments: deep } },
          ],
        },
        { role: "tool", tool_call_id: "c", content: "wet" },
      ],
    },
  ],
  [
    "/v1/responses",
    "input[1].arguments",
    {
      input: [
        { type: "message", ...question },
        { type: "function_call", call_id: "c", name: "weather", arguments: deep },
        { type: "function_call_output", call_id: "c", output: "wet" },
      ],
    },
  ],
] as const;

describe("arguments of 5000 levels in a history", () => {
  it.each(histories)(
    "are refused from %s for an upstream of messages",
    async (path, param, body) => {
      const { post, bodies } = await start("dialect_messages", path);
      const answer = await post({ model, ...body });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "invalid_request", param } });
      expect(bodies()).toEqual([]);
    },
  );

  it.each(histories)(
    "are an error to the model of an agent from %s",
    async (path, _param, body) => {
      const { post, bodies, upstream } = await start("dialect_messages", path);
      upstream.play(scriptedOutput("dialect_messages", { text: "Rain." }));
      expect((await post({ model: "agent", ...body })).status).toBe(200);
      expect(JSON.stringify(bodies().at(-1))).toContain("The arguments nest too deep");
    },
  );
});
