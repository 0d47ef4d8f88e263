/** MCP servers that a request declares, over the official client and official servers. */
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import {
  startLegacyServer,
  startHostileServer,
  startModernServer,
  textResult,
  type ServedTools,
  type WatchedServer,
} from "../../agent/tools/mcp-servers.ts";
import {
  scriptedOutput,
  startAgentCaller,
  type AgentCaller,
  type UpstreamDialect,
} from "./agent-caller.ts";

type Mcp = OpenAI.Responses.Tool.Mcp;
type Input = OpenAI.Responses.ResponseInput;

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
const chat = "dialect_chat";
const finished = scriptedOutput(chat, { text: "Done." });
const secret = "tok_hosted_secret";
const buy = { id: "call_1", name: "buy", arguments: '{"sku":7}' };

const shop: ServedTools = {
  tools: [
    { name: "buy", description: "Buys.", inputSchema: { type: "object" } },
    { name: "look", title: "Look!", annotations: { readOnlyHint: true } },
  ],
  call: ({ name, arguments: given }) => textResult(`${name} ${JSON.stringify(given)}`),
};

function startShop(served: ServedTools = shop): Promise<WatchedServer> {
  return startModernServer(served);
}

function declared({ url }: Pick<WatchedServer, "url">, fields: Partial<Mcp> = {}): Mcp {
  return { type: "mcp", server_label: "shop", server_url: url, ...fields };
}

/** Names of the functions that the last model call was offered, beside those of ours. */
function offered({ bodies }: AgentCaller): readonly unknown[] {
  const own = new Set<unknown>(["package_health", "deps_audit", "runtime_eol"]);
  return toolsIn(bodies().at(-1)).filter((name) => !own.has(name));
}

function toolsIn(body: Record<string, unknown> | undefined): readonly unknown[] {
  const tools = (body?.["tools"] ?? []) as { name?: string; function?: { name: string } }[];
  return tools.map((tool) => tool.function?.name ?? tool.name);
}

function typesOf({ output }: OpenAI.Responses.Response): readonly string[] {
  return output.map(({ type }) => type);
}

describe.each(upstreams)("a server that a request declares, over %s,", (dialect) => {
  const done = scriptedOutput(dialect, { text: "Bought." });

  it("[agent.hosted] has its tools listed, offered and called, with its credential", async () => {
    const server = await startShop();
    const caller = await startAgentCaller(causeway, dialect);
    const { openai, upstream, bodies, call } = caller;
    upstream.playOnce(scriptedOutput(dialect, { calls: [buy] }), done);
    const tools = [
      declared(server, {
        require_approval: "never",
        authorization: secret,
        headers: { "x-shop": "hidden-value" },
        server_description: "Sells shoes.",
      }),
    ];
    const first = await openai.responses.create({ model: "agent", input: "Buy 7.", tools });
    expect(first.output).toMatchObject([
      {
        type: "mcp_list_tools",
        id: expect.stringMatching(/^mcpl_/) as string,
        server_label: "shop",
        error: null,
        tools: [
          { name: "buy", description: "Buys.", input_schema: { type: "object" }, annotations: {} },
          { name: "look", description: "Look!", annotations: { readOnlyHint: true } },
        ],
      },
      { type: "mcp_call", server_label: "shop", name: "buy", output: 'buy {"sku":7}', error: null },
      { type: "message" },
    ]);
    expect(first.tools).toEqual([{ ...tools[0], authorization: null, headers: null }]);
    expect(offered(caller)).toEqual(["buy", "look"]);
    expect(JSON.stringify(bodies()[0])).toContain("Sells shoes.");
    const called = server.requests.find(({ body }) => body.includes("tools/call"));
    expect(called?.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      "x-shop": "hidden-value",
    });
    const kept = await openai.responses.retrieve(first.id);
    const listed = await call("GET", `/v1/responses/${first.id}/input_items`);
    const seen = JSON.stringify([first, kept, listed.body, bodies()]);
    expect(seen).not.toMatch(/tok_hosted_secret|hidden-value/);
    expect(JSON.stringify(bodies())).not.toContain("mcp_list_tools");
  });

  it("[agent.hosted-approval] waits for an approval, which its caller gives by naming the response", async () => {
    const server = await startShop();
    const { openai, upstream, bodies } = await startAgentCaller(causeway, dialect);
    upstream.playOnce(scriptedOutput(dialect, { calls: [buy] }), done);
    const tools = [declared(server)];
    const first = await openai.responses.create({ model: "agent", input: "Buy 7.", tools });
    expect(typesOf(first)).toEqual(["mcp_list_tools", "mcp_approval_request"]);
    const asked = first.output[1];
    expect(asked).toMatchObject({ server_label: "shop", name: "buy", arguments: '{"sku":7}' });
    const second = await openai.responses.create({
      model: "agent",
      previous_response_id: first.id,
      input: [approving(asked?.id)],
      tools,
    });
    expect(second.output).toMatchObject([
      { type: "mcp_call", name: "buy", approval_request_id: asked?.id, output: 'buy {"sku":7}' },
      { type: "message" },
    ]);
    expect(JSON.stringify(bodies().at(-1))).toContain("buy {");
  });

  it("[agent.hosted-approval] waits for an approval, which a client gives that keeps all items itself", async () => {
    const server = await startShop();
    const { openai, upstream, bodies } = await startAgentCaller(causeway, dialect);
    upstream.playOnce(scriptedOutput(dialect, { calls: [buy] }), done, done);
    const tools = [declared(server)];
    const question = { role: "user" as const, content: "Buy 7." };
    const ask = (input: Input) => openai.responses.create({ model: "agent", input, tools });
    const first = await ask([question]);
    const answered: Input = [question, ...(first.output as Input), approving(first.output[1]?.id)];
    const second = await ask(answered);
    expect(typesOf(second)).toEqual(["mcp_call", "message"]);
    expect(second.output[0]).toMatchObject({ output: 'buy {"sku":7}', error: null });
    const third = await ask([
      ...answered,
      ...(second.output as Input),
      { role: "user", content: "And?" },
    ]);
    expect(typesOf(third)).toEqual(["message"]);
    const sent = JSON.stringify(bodies().at(-1));
    expect(sent.split("buy {")).toHaveLength(2);
    expect(server.requests.filter(({ body }) => body.includes("tools/call"))).toHaveLength(1);
  });

  it("[agent.hosted-approval] is not called where its approval is refused, which later turns are told too", async () => {
    const server = await startShop();
    const { openai, upstream, bodies } = await startAgentCaller(causeway, dialect);
    upstream.playOnce(scriptedOutput(dialect, { calls: [buy] }), done, done);
    const tools = [declared(server)];
    const question = { role: "user" as const, content: "Buy 7." };
    const first = await openai.responses.create({ model: "agent", input: [question], tools });
    const refusing = { ...approving(first.output[1]?.id), approve: false, reason: "Too dear." };
    const input: Input = [question, ...(first.output as Input), refusing];
    const second = await openai.responses.create({ model: "agent", input, tools });
    expect(second.output).toMatchObject([
      {
        type: "mcp_call",
        status: "failed",
        output: null,
        approval_request_id: expect.any(String) as string,
      },
      { type: "message" },
    ]);
    expect(JSON.stringify(bodies().at(-1))).toContain("refused: Too dear.");
    const later: Input = [...input, ...(second.output as Input), { role: "user", content: "So?" }];
    await openai.responses.create({ model: "agent", input: later, tools });
    expect(JSON.stringify(bodies().at(-1))).toContain("refused: Too dear.");
    expect(server.requests.some(({ body }) => body.includes("tools/call"))).toBe(false);
  });
});

function approving(id: string | undefined): OpenAI.Responses.ResponseInputItem.McpApprovalResponse {
  return { type: "mcp_approval_response", approval_request_id: id ?? "", approve: true };
}

describe("a server that a request declares", () => {
  it("[agent.hosted-listed] is told while it streams, in the events of the dialect", async () => {
    const server = await startLegacyServer(shop);
    const { openai, upstream } = await startAgentCaller(causeway);
    upstream.play(scriptedOutput(chat, { text: "Hi." }));
    const tools = [declared(server, { require_approval: "never" })];
    const types: string[] = [];
    const asked = { model: "agent", input: "Hi?", tools, stream: true as const };
    for await (const event of await openai.responses.create(asked)) types.push(event.type);
    expect(types.slice(0, 7)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
      "response.output_item.added",
      "response.mcp_list_tools.in_progress",
      "response.mcp_list_tools.completed",
      "response.output_item.done",
    ]);
    expect(types.at(-1)).toBe("response.completed");
  });

  it("[agent.hosted-listed] is listed again only when it has something else", async () => {
    const served = { ...shop, tools: [...shop.tools] };
    const server = await startShop(served);
    const { openai, upstream } = await startAgentCaller(causeway);
    upstream.play(scriptedOutput(chat, { text: "Hi." }));
    const tools = [declared(server, { require_approval: "never" })];
    const ask = () =>
      openai.responses.create(
        { model: "agent", input: "Hi?", tools },
        { headers: { "x-svc-session": "s" } },
      );
    expect(typesOf(await ask())).toEqual(["mcp_list_tools", "message"]);
    expect(typesOf(await ask())).toEqual(["message"]);
    served.tools.push({ name: "sell" });
    expect(typesOf(await ask())).toEqual(["mcp_list_tools", "message"]);
    expect(typesOf(await ask())).toEqual(["message"]);
  });

  it("[agent.hosted] that repeats its credential is told, offered and quoted without it", async () => {
    const properties = { [secret]: { type: "string", description: `Not ${secret}.` } };
    const inputSchema = { type: "object", properties };
    const server = await startShop({
      tools: [{ name: "buy", description: `Knows ${secret}.`, inputSchema }, { name: secret }],
      call: () => textResult(`It is ${secret}.`),
    });
    const caller = await startAgentCaller(causeway);
    const { openai, upstream, bodies } = caller;
    upstream.playOnce(scriptedOutput(chat, { calls: [buy] }), finished);
    const tools = [declared(server, { require_approval: "never", authorization: secret })];
    const response = await openai.responses.create({ model: "agent", input: "Buy.", tools });
    expect(response.output).toMatchObject([
      { tools: [{ name: "buy", description: "Knows [redacted]." }] },
      { type: "mcp_call", output: "It is [redacted]." },
      { type: "message" },
    ]);
    expect(offered(caller)).toEqual(["buy"]);
    expect(JSON.stringify([response, bodies(), causeway.logLines()])).not.toContain(secret);
  });

  it("[agent.hosted-listed] that fails is told with its error, and the turn goes on with a note", async () => {
    const closed = await startHostileServer({
      initialize: (response) => void response.writeHead(401).end(),
    });
    const { openai, upstream, bodies } = await startAgentCaller(causeway);
    upstream.play(scriptedOutput(chat, { text: "Hi." }));
    const tools = [declared(closed)];
    const types: string[] = [];
    const stream = openai.responses.stream({ model: "agent", input: "Hi?", tools });
    for await (const event of stream) types.push(event.type);
    const response = await stream.finalResponse();
    expect(types).toContain("response.mcp_list_tools.failed");
    expect(response.output).toMatchObject([
      { type: "mcp_list_tools", tools: [], error: expect.stringContaining("HTTP 401") as string },
      { type: "message" },
    ]);
    expect(JSON.stringify(bodies().at(-1))).toContain("its tools are missing");
  });

  it("[agent.hosted] has the tools that are allowed, and asks for those that are named", async () => {
    const server = await startShop();
    const caller = await startAgentCaller(causeway);
    const { openai, upstream } = caller;
    const ask = async (fields: Partial<Mcp>, call?: typeof buy) => {
      upstream.playOnce(...(call ? [scriptedOutput(chat, { calls: [call] })] : []));
      upstream.play(finished);
      const tools = [declared(server, fields)];
      return typesOf(await openai.responses.create({ model: "agent", input: "Go.", tools }));
    };
    const free = { require_approval: "never" as const };
    await ask({ ...free, allowed_tools: ["look"] });
    expect(offered(caller)).toEqual(["look"]);
    await ask({ ...free, allowed_tools: { read_only: false } });
    expect(offered(caller)).toEqual(["buy"]);
    await ask({ ...free, allowed_tools: { tool_names: ["buy"], read_only: true } });
    expect(offered(caller)).toEqual([]);
    const look = { id: "call_2", name: "look", arguments: "{}" };
    const onlyLook = { require_approval: { never: { tool_names: ["look"] } } };
    expect(await ask(onlyLook, look)).toContain("mcp_call");
    expect(await ask(onlyLook, buy)).toContain("mcp_approval_request");
    const readsFreely = {
      require_approval: { always: { tool_names: ["look"] }, never: { read_only: true } },
    };
    expect(await ask(readsFreely, look)).toContain("mcp_approval_request");
  });

  it("[agent.hosted] is called under the name that a choice asks for, in the first step", async () => {
    const server = await startShop();
    const { openai, upstream, bodies } = await startAgentCaller(causeway);
    const tools = [declared(server, { require_approval: "never" })];
    const choose = async (fields: { name?: string }) => {
      upstream.playOnce(scriptedOutput(chat, { calls: [buy] }), finished);
      const tool_choice = { type: "mcp" as const, server_label: "shop", ...fields };
      await openai.responses.create({ model: "agent", input: "Go.", tools, tool_choice });
      return bodies()
        .slice(-2)
        .map((body) => body["tool_choice"]);
    };
    const named = { type: "function", function: { name: "buy" } };
    expect(await choose({ name: "buy" })).toEqual([named, undefined]);
    // Chat knows no choice of several: only they are offered.
    expect(await choose({})).toEqual(["required", undefined]);
    expect(toolsIn(bodies().at(-2))).toEqual(["buy", "look"]);
    expect(toolsIn(bodies().at(-1))).toContain("runtime_eol");
  });

  it("[agent.hosted-approval] that is not declared again by the request that approves is an error to the model", async () => {
    const [server, other] = [await startShop(), await startShop()];
    const { openai, upstream, bodies } = await startAgentCaller(causeway);
    upstream.playOnce(
      scriptedOutput(chat, { calls: [buy] }),
      scriptedOutput(chat, { text: "Then not." }),
    );
    const tools = [declared(server)];
    const first = await openai.responses.create({ model: "agent", input: "Buy 7.", tools });
    const second = await openai.responses.create({
      model: "agent",
      previous_response_id: first.id,
      input: [approving(first.output[1]?.id)],
      // Its tool has the same name, and is not the one that was approved.
      tools: [declared(other, { server_label: "other", require_approval: "never" })],
    });
    expect(typesOf(second)).toEqual(["mcp_list_tools", "message"]);
    expect(JSON.stringify(bodies().at(-1))).toContain(
      "declared again by the request that approves",
    );
    expect(other.requests.some(({ body }) => body.includes("tools/call"))).toBe(false);
  });

  it("[agent.hosted] keeps its label beside the servers of items, whose tools of the same name are told apart", async () => {
    const server = await startShop();
    const caller = await startAgentCaller(causeway);
    const { openai, upstream, user } = caller;
    const item = { kind: "mcp", name: "Store", url: server.url };
    await causeway.call("POST", "/v1/items", { token: user.session, body: item });
    upstream.play(scriptedOutput(chat, { text: "Hi." }));
    await openai.responses.create({ model: "agent", input: "Hi?", tools: [declared(server)] });
    expect(offered(caller)).toEqual(["shop__buy", "shop__look", "Store__buy", "Store__look"]);
    const clash = openai.responses.create({
      model: "agent",
      input: "Hi?",
      tools: [declared(server, { server_label: "Store" })],
    });
    await expect(clash).rejects.toMatchObject({ status: 400, param: "tools[0].server_label" });
  });

  it.each<[string, object, string]>([
    ["a connector", { connector_id: "connector_gmail" }, "connector_id"],
    ["a tunnel", { tunnel_id: "tunnel_1" }, "tunnel_id"],
    ["no address", { server_url: undefined }, "server_url"],
    ["an address inside", { server_url: "http://10.1.2.3/mcp" }, "server_url"],
    ["the address of a metadata service", { server_url: "http://169.254.169.254/" }, "server_url"],
    ["no label", { server_label: undefined }, "server_label"],
    ["a label of other characters", { server_label: "my shop" }, "server_label"],
    ["a forbidden header", { headers: { Host: "x" } }, "headers.Host"],
    ["a header that is no text", { headers: { "x-a": 1 } }, "headers.x-a"],
    ["a token of two lines", { authorization: "a\nb" }, "authorization"],
    ["two credentials", { authorization: "a", headers: { Authorization: "b" } }, "authorization"],
    ["an unknown word on approvals", { require_approval: "sometimes" }, "require_approval"],
    ["a filter of nothing", { require_approval: { never: {} } }, "require_approval.never"],
    ["a tool without a name", { allowed_tools: ["a", 1] }, "allowed_tools[1]"],
    ["programs as its only callers", { allowed_callers: ["programmatic"] }, "allowed_callers"],
  ])(
    "[agent.hosted-refused] with %s is refused, and nothing is dialled",
    async (_name, fields, field) => {
      const server = await startShop();
      const { openai, upstream } = await startAgentCaller(causeway);
      const tool = { ...declared(server), ...fields } as Mcp;
      const asked = openai.responses.create({ model: "agent", input: "Hi?", tools: [tool] });
      await expect(asked).rejects.toMatchObject({ status: 400, param: `tools[0].${field}` });
      expect(server.requests).toEqual([]);
      expect(upstream.requests.filter(({ method }) => method === "POST")).toEqual([]);
    },
  );

  it("[agent.hosted-refused] is refused under a label that another has, in an item, and as the choice of none", async () => {
    const server = await startShop();
    const { openai } = await startAgentCaller(causeway);
    const tool = declared(server);
    const asking = (fields: object) =>
      openai.responses.create({ model: "agent", input: "Hi?", ...fields });
    await expect(asking({ tools: [tool, tool] })).rejects.toMatchObject({
      status: 400,
      param: "tools[1].server_label",
    });
    const input = [
      { type: "additional_tools", role: "developer", tools: [tool] },
      { role: "user", content: "Hi?" },
    ];
    await expect(asking({ input })).rejects.toMatchObject({
      status: 400,
      param: "input[0].tools[0]",
    });
    const wrong = { type: "mcp", server_label: "none" };
    await expect(asking({ tools: [tool], tool_choice: wrong })).rejects.toMatchObject({
      status: 400,
      param: "tool_choice.server_label",
    });
    const unnamed = { type: "mcp", server_label: "shop", name: "sell" };
    const limited = { ...tool, allowed_tools: ["buy"] };
    await expect(asking({ tools: [limited], tool_choice: unnamed })).rejects.toMatchObject({
      status: 400,
      param: "tool_choice.name",
    });
  });

  it("[agent.hosted-refused] is refused by ordinary models behind another dialect", async () => {
    const server = await startShop();
    const { openai } = await startAgentCaller(causeway);
    const asked = openai.responses.create({
      model: "custom/box/m",
      input: "Hi?",
      tools: [declared(server)],
    });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "tools[0].type" });
    expect(server.requests).toEqual([]);
  });
});
