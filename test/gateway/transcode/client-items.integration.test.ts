import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { startStrictUpstream } from "../../support/strict-upstream/start-strict-upstream.ts";
import { addUpstreams, call as post, catalogue, readError } from "../call.ts";
import { startModelApp } from "../model-app.ts";
import { models, type Body } from "./pairs.ts";

const parameters = {
  type: "object",
  properties: { query: { type: "string" }, limit: { type: "number" } },
  required: ["query"],
};
const search = {
  type: "tool_search",
  execution: "client",
  description: "Finds tools.",
  parameters,
};
const found = {
  type: "namespace",
  name: "mcp__calendar",
  description: "Plan events.",
  tools: [
    {
      type: "function",
      name: "create_event",
      description: "Creates an event.",
      strict: false,
      defer_loading: true,
      parameters: { type: "object", properties: { title: { type: "string" } } },
    },
  ],
};
/** What the caller's models reach. */
type Upstream = "chat" | "messages";
const upstreams = ["chat", "messages"] as const;

async function start() {
  const app = await startModelApp({ catalogue });
  const upstream = await startStrictUpstream();
  addUpstreams(app, upstream.origin);
  return { app, upstream };
}

async function send(to: Upstream, body: Body) {
  const { app, upstream } = await start();
  const reply = await post(app, "/v1/responses", { model: models[to], store: false, ...body });
  return { reply, upstream, sent: upstream.exchanges[0]?.body ?? {} };
}

function outputOf({ body }: { readonly body: unknown }): unknown {
  return (body as { output: unknown }).output;
}

function functionsOf({ tools }: Body): readonly unknown[] {
  return (tools as { name?: string; function?: { name: string } }[]).map(
    (tool) => tool.function?.name ?? tool.name,
  );
}

const query = { query: "create event", limit: 1 };
const script = `call tool_search ${JSON.stringify(query)}\nthen\ncall create_event {"title":"Lunch"}`;
const question = { type: "message", role: "user", content: script };
const asked = {
  type: "tool_search_call",
  call_id: "call_1",
  execution: "client",
  status: "completed",
  arguments: query,
};
const answered = {
  type: "tool_search_output",
  call_id: "call_1",
  execution: "client",
  status: "completed",
  tools: [found],
};

describe.each(upstreams)("a search for tools by the caller, %s upstream", (to) => {
  it("[client-fields.tool-search] is a function there, and its call a search again", async () => {
    const { sent, reply } = await send(to, { input: [question], tools: [search] });
    expect(functionsOf(sent)).toEqual(["tool_search"]);
    expect(JSON.stringify(sent)).toContain(JSON.stringify(parameters));
    expect(reply.headers["x-svc-warnings"]).toBeUndefined();
    const [id, call_id] = [/^tsc_/, /./].map((form) => expect.stringMatching(form) as string);
    expect(outputOf(reply)).toEqual([{ ...asked, id, call_id }]);
  });

  it("streams as the official client reads it", async () => {
    const { app } = await start();
    const client = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
    const streamed = client.responses.stream({
      model: models[to],
      input: script,
      tools: [search as OpenAI.Responses.ToolSearchTool],
    });
    expect((await streamed.finalResponse()).output).toMatchObject([
      { type: "tool_search_call", execution: "client", arguments: query },
    ]);
  });

  it("[client-fields.tool-search] goes on with the tools that were found, which keep their namespace", async () => {
    const input = [question, asked, answered];
    const { sent, reply } = await send(to, { input, tools: [search], parallel_tool_calls: true });
    expect(functionsOf(sent)).toEqual(["tool_search", "mcp__calendar__create_event"]);
    expect(JSON.stringify(sent)).toContain("mcp__calendar__create_event: Creates an event.");
    expect(JSON.stringify(sent)).not.toContain("defer_loading");
    expect(outputOf(reply)).toMatchObject([
      { type: "function_call", namespace: "mcp__calendar", name: "create_event" },
    ]);
  });

  it("finds a tool twice, and it is declared once", async () => {
    const [again, also] = [asked, answered].map((item) => ({ ...item, call_id: "call_2" }));
    const { sent } = await send(to, { input: [question, asked, answered, again, also] });
    expect(functionsOf(sent)).toEqual(["mcp__calendar__create_event"]);
  });

  it("may find nothing", async () => {
    const { sent } = await send(to, { input: [question, asked, { ...answered, tools: [] }] });
    expect(JSON.stringify(sent)).toContain("No tools were found.");
  });

  it("of the vendor itself is a tool that it runs, and its items are refused", async () => {
    const server = await send(to, { input: "x", tools: [{ type: "tool_search" }] });
    expect(readError(server.reply.body).param).toBe("tools[0].type");
    const item = { ...asked, execution: "server", call_id: null };
    const items = await send(to, { input: [question, item] });
    expect(readError(items.reply.body).param).toBe("input[1].type");
  });
});

describe.each(upstreams)("items that steer, %s upstream", (to) => {
  const plain = { type: "message", role: "user", content: "Hello." };

  it("tools that an item brings along are the request's tools", async () => {
    const own = { type: "function", name: "shell", parameters, strict: false };
    const brought = { type: "additional_tools", role: "developer", tools: [own, found, search] };
    const instructions = { type: "message", role: "developer", content: "Be brief." };
    const { sent } = await send(to, { input: [brought, instructions, plain], tools: null });
    expect(functionsOf(sent)).toEqual(["shell", "mcp__calendar__create_event", "tool_search"]);
    const roles = (sent["messages"] as { role: string }[]).map(({ role }) => role);
    expect(roles).toEqual(to === "chat" ? ["system", "user"] : ["user"]);
  });

  it("an item that changes the configuration changes that of the request", async () => {
    const update = { type: "configuration_update", reasoning: { effort: "low" } };
    const format = { type: "json_schema", name: "n", schema: { type: "object" }, strict: false };
    const later = { ...update, reasoning: { effort: "high" }, text: { format } };
    const { sent } = await send(to, {
      input: [update, plain, later],
      reasoning: { effort: "medium", summary: "auto" },
      max_output_tokens: 32_000,
    });
    expect(JSON.stringify(sent)).toMatch(/"reasoning_effort":"high"|"budget_tokens":16384/);
    expect(JSON.stringify(sent)).toContain("json_schema");
    expect(JSON.stringify(sent["messages"])).not.toMatch(/configuration|developer|system/);
  });

  it.each(["compaction", "context_compaction"])("an item %s is refused clearly", async (type) => {
    const { reply, upstream } = await send(to, {
      input: [plain, { type, encrypted_content: "x" }],
    });
    expect([reply.status, readError(reply.body).param]).toEqual([400, "input[1]"]);
    expect(readError(reply.body).message).toMatch(/Send the whole conversation/);
    expect(upstream.exchanges).toHaveLength(0);
  });
});
