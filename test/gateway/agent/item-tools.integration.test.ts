/** Agents with the tools of their callers' items, from the caller to the MCP server and back. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startLegacyServer,
  startModernServer,
  textResult,
  type ServedCall,
} from "../../agent/tools/mcp-servers.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller, type AgentCaller } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const session = { headers: { "x-svc-session": "s" } };
const asks = scriptedOutput("dialect_chat", {
  calls: [{ id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' }],
});
const answers = scriptedOutput("dialect_chat", { text: "Rain." });

async function callerWith(item: object): Promise<AgentCaller> {
  const caller = await startAgentCaller(causeway);
  caller.upstream.playOnce(asks, answers);
  const body = { kind: "mcp", name: "Sky", ...item };
  const made = await causeway.call("POST", "/v1/items", { token: caller.user.session, body });
  expect(made.status).toBe(201);
  return caller;
}

/** A server that says the weather, and notes how it is asked. */
async function startWeather(start: typeof startModernServer | typeof startLegacyServer) {
  const calls: ServedCall[] = [];
  const server = await start({
    tools: [{ name: "weather" }],
    call: (params) => {
      calls.push(params);
      return textResult("It is wet.");
    },
  });
  return { url: server.url, calls };
}

describe.each([
  ["of the 2026 revision", startModernServer],
  ["of 2025", startLegacyServer],
])("a tool of a server %s", (_generation, start) => {
  it("is called for a responses caller, who sees the call", async () => {
    const { url, calls } = await startWeather(start);
    const { openai, bodies } = await callerWith({ url });
    const request = { model: "agent", input: "Oslo?" };
    const response = await openai.responses.create(request, session);
    expect(response.output).toMatchObject([
      {
        type: "mcp_call",
        server_label: "Sky",
        name: "weather",
        arguments: '{"city":"Oslo"}',
        output: "It is wet.",
        status: "completed",
      },
      { type: "message" },
    ]);
    expect(response.output_text).toBe("Rain.");
    expect(calls).toMatchObject([
      { arguments: { city: "Oslo" }, _meta: { "causeway/call": `${response.id}/1/1` } },
    ]);
    expect(JSON.stringify(bodies().at(-1))).toContain("It is wet.");
  });
});

describe("a tool of a server", () => {
  it("is called for callers of chat and messages, who see the answer only", async () => {
    const { url, calls } = await startWeather(startModernServer);
    const { openai, anthropic, upstream } = await callerWith({ url });
    const messages = [{ role: "user" as const, content: "Oslo?" }];
    const chat = await openai.chat.completions.create({ model: "agent", messages });
    expect(chat.choices).toMatchObject([{ finish_reason: "stop", message: { content: "Rain." } }]);
    expect(chat.choices[0]?.message.tool_calls).toBeUndefined();
    upstream.playOnce(asks, answers);
    const message = await anthropic.messages.create({ model: "agent", max_tokens: 100, messages });
    expect(message.content).toMatchObject([{ type: "text", text: "Rain." }]);
    expect(calls).toHaveLength(2);
  });

  it("that needs an approval is called when the caller has given it", async () => {
    const { url, calls } = await startWeather(startModernServer);
    const { openai } = await callerWith({ url, approval: "always" });
    const first = await openai.responses.create({ model: "agent", input: "Oslo?" }, session);
    const request = first.output.find((item) => item.type === "mcp_approval_request");
    expect([request?.name, first.status, calls]).toEqual(["weather", "completed", []]);
    const approval = { approval_request_id: request?.id ?? "", approve: true };
    const second = await openai.responses.create(
      { model: "agent", input: [{ type: "mcp_approval_response", ...approval }] },
      session,
    );
    expect(second.output_text).toBe("Rain.");
    expect(calls).toHaveLength(1);
  });

  it("has its connections closed within a second when the turn is cancelled", async () => {
    const called = Promise.withResolvers<void>();
    const server = await startLegacyServer({
      tools: [{ name: "weather" }],
      call: () => {
        called.resolve();
        return new Promise<never>(() => undefined);
      },
    });
    const { openai } = await callerWith({ url: server.url });
    const turn = await openai.responses.create({
      model: "agent",
      input: "Oslo?",
      background: true,
    });
    await called.promise;
    const before = performance.now();
    const cancelled = await openai.responses.cancel(turn.id);
    await server.allClosed(server.connections());
    expect(performance.now() - before).toBeLessThan(1000);
    expect(cancelled.status).toBe("cancelled");
  });

  it("that cannot be reached is missing, which the model is told", async () => {
    const { openai, upstream, bodies } = await callerWith({ url: "http://127.0.0.1:9/mcp" });
    upstream.playOnce(answers);
    await openai.responses.create({ model: "agent", input: "Oslo?" }, session);
    const [body] = bodies();
    expect(JSON.stringify(body?.["messages"])).toContain(
      "The MCP server `Sky` could not be reached: its tools are missing.",
    );
    expect(JSON.stringify(body?.["tools"])).not.toContain("weather");
  });
});

describe("a tool of ours", () => {
  it("answers as it does over REST", async () => {
    const { openai, upstream, bodies } = await startAgentCaller(causeway);
    const input = { product: "nodejs", cycle: "20", task_context: "Testing" };
    const calls = [{ id: "call_1", name: "runtime_eol", arguments: JSON.stringify(input) }];
    upstream.playOnce(scriptedOutput("dialect_chat", { calls }), answers);
    await openai.responses.create({ model: "agent", input: "How old is node 20?" }, session);
    const told = bodies().at(-1)?.["messages"] as { role: string; content: string }[];
    const { content = "" } = told.find(({ role }) => role === "tool") ?? {};
    expect(JSON.parse(content)).toMatchObject({ object: "runtime_eol", product: "nodejs" });
  });
});
