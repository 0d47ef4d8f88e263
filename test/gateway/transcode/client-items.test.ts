import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { json, stream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call as post, readError } from "../call.ts";
import { models, type Body, type Pair } from "./pairs.ts";

const pairs: readonly Pair[] = [
  { caller: "responses", upstream: "chat" },
  { caller: "responses", upstream: "messages" },
];

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
const query = { query: "create event", limit: 1 };
const question = { type: "message", role: "user", content: "Plan lunch." };
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

/** An upstream that calls a function. */
const calling = {
  chat: (name: string, input: object) => ({
    whole: {
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                id: "call_1",
                type: "function",
                function: { name, arguments: JSON.stringify(input) },
              },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    },
    frames: [
      {
        tool_calls: [
          { index: 0, id: "call_1", type: "function", function: { name, arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: JSON.stringify(input).slice(0, 9) } }] },
      { tool_calls: [{ index: 0, function: { arguments: JSON.stringify(input).slice(9) } }] },
    ]
      .map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }))
      .concat([{ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }] as never)
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .concat("data: [DONE]\n\n"),
  }),
  messages: (name: string, input: object) => {
    const block = { type: "tool_use", id: "call_1", name };
    const base = { id: "msg_1", type: "message", role: "assistant", model: "up" };
    const usage = { input_tokens: 1, output_tokens: 1 };
    return {
      whole: { ...base, content: [{ ...block, input }], stop_reason: "tool_use", usage },
      frames: [
        { type: "message_start", message: { ...base, content: [], stop_reason: null, usage } },
        { type: "content_block_start", index: 0, content_block: { ...block, input: {} } },
        {
          type: "content_block_delta",
          index: 0,
          delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
        },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
        { type: "message_stop" },
      ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    };
  },
};

describe.each(pairs)("a search for tools by the caller, $upstream upstream", (pair) => {
  const upstreamIs = pair.upstream as "chat" | "messages";

  async function send(body: Body, answer = calling[upstreamIs]("tool_search", query)) {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(body["stream"] === true ? stream(answer.frames) : json(answer.whole));
    const asking = { model: models[upstreamIs], store: false, ...body };
    const reply = await post(app, "/v1/responses", asking);
    const sent =
      reply.status === 200 ? (JSON.parse((await upstream.request(0)).body.toString()) as Body) : {};
    return { app, upstream, reply, sent };
  }

  const functionsOf = (sent: Body) =>
    (sent["tools"] as { name?: string; function?: { name: string } }[]).map(
      (tool) => tool.function?.name ?? tool.name,
    );

  it("is a function there, and its call a search again", async () => {
    const { sent, reply } = await send({ input: [question], tools: [search] });
    expect(functionsOf(sent)).toEqual(["tool_search"]);
    expect(JSON.stringify(sent)).toContain(JSON.stringify(parameters));
    expect(reply.headers["x-svc-warnings"]).toBeUndefined();
    expect((reply.body as { output: unknown }).output).toEqual([
      {
        ...asked,
        id: expect.stringMatching(/^tsc_/) as string,
        call_id: expect.stringMatching(/./) as string,
      },
    ]);
  });

  it("streams as the official client reads it", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream(calling[upstreamIs]("tool_search", query).frames));
    const client = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
    const streamed = client.responses.stream({
      model: models[upstreamIs],
      input: "Plan lunch.",
      tools: [search as OpenAI.Responses.ToolSearchTool],
    });
    const { output } = await streamed.finalResponse();
    expect(output).toMatchObject([
      { type: "tool_search_call", execution: "client", arguments: query },
    ]);
  });

  it("goes on with the tools that were found, which keep their namespace", async () => {
    const input = [question, asked, answered];
    const { sent, reply } = await send(
      { input, tools: [search], parallel_tool_calls: true },
      calling[upstreamIs]("mcp__calendar__create_event", { title: "Lunch" }),
    );
    expect(functionsOf(sent)).toEqual(["tool_search", "mcp__calendar__create_event"]);
    expect(JSON.stringify(sent)).toContain("mcp__calendar__create_event: Creates an event.");
    expect(JSON.stringify(sent)).not.toContain("defer_loading");
    expect((reply.body as { output: unknown }).output).toMatchObject([
      { type: "function_call", namespace: "mcp__calendar", name: "create_event" },
    ]);
  });

  it("finds a tool twice, and it is declared once", async () => {
    const again = [
      { ...asked, call_id: "call_2" },
      { ...answered, call_id: "call_2" },
    ];
    const { sent } = await send({ input: [question, asked, answered, ...again], tools: [search] });
    expect(functionsOf(sent)).toEqual(["tool_search", "mcp__calendar__create_event"]);
  });

  it("may find nothing", async () => {
    const { sent } = await send({ input: [question, asked, { ...answered, tools: [] }] });
    expect(JSON.stringify(sent)).toContain("No tools were found.");
  });

  it("of the vendor itself is a tool that it runs, and its items are refused", async () => {
    const server = { type: "tool_search" };
    expect(readError((await send({ input: "x", tools: [server] })).reply.body).param).toBe(
      "tools[0].type",
    );
    const items = [question, { ...asked, execution: "server", call_id: null }];
    expect(readError((await send({ input: items })).reply.body).param).toBe("input[1].type");
  });

  it("tools that an item brings along are the request's tools", async () => {
    const own = { type: "function", name: "shell", parameters, strict: false };
    const brought = { type: "additional_tools", role: "developer", tools: [own, found, search] };
    const instructions = { type: "message", role: "developer", content: "Be brief." };
    const { sent } = await send({ input: [brought, instructions, question], tools: null });
    expect(functionsOf(sent)).toEqual(["shell", "mcp__calendar__create_event", "tool_search"]);
    const roles = (sent["messages"] as { role: string }[]).map(({ role }) => role);
    expect(roles).toEqual(upstreamIs === "chat" ? ["system", "user"] : ["user"]);
  });

  it("an item that changes the configuration changes that of the request", async () => {
    const update = { type: "configuration_update", reasoning: { effort: "low" } };
    const format = { type: "json_schema", name: "n", schema: { type: "object" }, strict: false };
    const later = { ...update, reasoning: { effort: "high" }, text: { format } };
    const { sent } = await send({
      input: [update, question, later],
      reasoning: { effort: "medium", summary: "auto" },
      max_output_tokens: 32_000,
    });
    expect(JSON.stringify(sent)).toMatch(/"reasoning_effort":"high"|"budget_tokens":16384/);
    expect(JSON.stringify(sent)).toContain("json_schema");
    expect(JSON.stringify(sent["messages"])).not.toMatch(/configuration|developer|system/);
  });

  it.each(["compaction", "compaction_trigger"])("an item %s is refused clearly", async (type) => {
    const item = { type, encrypted_content: "x" };
    const { reply, upstream } = await send({ input: [question, item] });
    expect([reply.status, readError(reply.body).param]).toEqual([400, "input[1]"]);
    expect(readError(reply.body).message).toMatch(/Send the whole conversation/);
    expect(upstream.requests).toHaveLength(0);
  });
});
