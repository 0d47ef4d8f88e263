import { describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call, type Reply } from "../call.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { crossPairs, models, paths, questions, type Body, type Pair } from "./pairs.ts";

interface Exchanged {
  readonly reply: Reply;
  readonly sent: Body;
}

/** What a body becomes for an upstream of another dialect. */
async function exchange({ caller, upstream: to }: Pair, more: Body): Promise<Exchanged> {
  const { app, upstream } = await startAppWithUpstream();
  upstream.play(json(responseFixtures[to].whole));
  const body = { model: models[to], ...questions[caller], ...more };
  const reply = await call(app, paths[caller], body);
  expect(reply.status).toBe(200);
  return { reply, sent: JSON.parse((await upstream.request(0)).body.toString()) as Body };
}

const user = (content: unknown) => ({ role: "user", content });
const system = (content: unknown) => ({ role: "system", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;
const use = { type: "tool_use", id: "call_1", name: "read", input: {} };
const result = { type: "tool_result", tool_use_id: "call_1", content: "text of a file" };

describe("system messages in the middle, to a chat endpoint of one's own", () => {
  const pair: Pair = { caller: "messages", upstream: "chat" };

  const written = async (...messages: unknown[]) => {
    const { reply, sent } = await exchange(pair, { messages });
    return { messages: sent["messages"], warnings: reply.headers["x-svc-warnings"] };
  };

  it("[client-fields.system-middle] are a reminder in the next user turn, with a warning", async () => {
    const { messages, warnings } = await written(
      user("a"),
      assistant("b"),
      system("Be brief."),
      system([{ type: "text", text: "Be kind." }]),
      user("c"),
    );
    expect(messages).toEqual([
      user("a"),
      assistant("b"),
      user(`${reminder("Be brief.")}\n\n${reminder("Be kind.")}\n\nc`),
    ]);
    expect(warnings).toBe(
      '"messages[2]";action=approximated;reason=position, "messages[3]";action=approximated;reason=position',
    );
  });

  it("stand before the picture of a turn that begins with one", async () => {
    const image = { type: "image", source: { type: "url", url: "https://a.test/b.png" } };
    const { messages } = await written(user("a"), assistant("b"), system("s"), user([image]));
    expect(messages).toMatchObject([
      {},
      {},
      user([{ type: "text", text: reminder("s") }, { type: "image_url" }]),
    ]);
  });

  it("end the turn of the user that they follow, where no other comes", async () => {
    const last = await written(user("a"), assistant("b"), user("c"), system("s"));
    expect(last.messages).toEqual([user("a"), assistant("b"), user(`c\n\n${reminder("s")}`)]);
    const inner = await written(user("a"), system("s"), assistant("b"), user("c"));
    expect(inner.messages).toEqual([user(`a\n\n${reminder("s")}`), assistant("b"), user("c")]);
  });

  it("are a turn of their own behind the results of tools", async () => {
    const { messages } = await written(user("a"), assistant([use]), user([result]), system("s"));
    expect(messages).toMatchObject([{}, {}, { role: "tool" }, user(reminder("s"))]);
    const followed = await written(
      user("a"),
      assistant([use]),
      user([result, { type: "text", text: "go on" }]),
      system("s"),
    );
    expect(followed.messages).toMatchObject([
      {},
      {},
      { role: "tool" },
      user(`go on\n\n${reminder("s")}`),
    ]);
  });

  it("that say nothing are nothing", async () => {
    const { messages } = await written(user("a"), assistant("b"), system("  "), user("c"));
    expect(messages).toEqual([user("a"), assistant("b"), user("c")]);
  });

  it("of a responses caller are reminders, too", async () => {
    const input = [user("a"), assistant("b"), { role: "developer", content: "s" }, user("c")];
    const { sent } = await exchange({ caller: "responses", upstream: "chat" }, { input });
    expect(sent["messages"]).toEqual([user("a"), assistant("b"), user(`${reminder("s")}\n\nc`)]);
  });
});

describe.each(["chat", "responses"] as const)("system messages that steer, %s upstream", (to) => {
  const pair: Pair = { caller: "messages", upstream: to };
  const tool = (name: string) => ({ name, input_schema: { type: "object" } });
  const about = (type: string, name: string) => ({
    type,
    tool: { type: "tool_reference", name },
  });
  const definition = { type: "tool_definition", definition: tool("late") };

  it("change the tools from there on", async () => {
    const messages = [
      user("a"),
      system([{ type: "tool_addition", tool: definition }, about("tool_removal", "read")]),
      assistant("b"),
      system([about("tool_removal", "write"), { type: "text", text: "No writing." }]),
      user("c"),
      system([about("tool_addition", "write"), about("tool_removal", "gone")]),
    ];
    const tools = [tool("read"), { ...tool("write"), defer_loading: false }, tool("list")];
    const { sent } = await exchange(pair, { messages, tools });
    const names = JSON.stringify(sent["tools"]).match(/"name":"\w+"/g);
    expect(names).toEqual(['"name":"write"', '"name":"list"', '"name":"late"']);
    expect(JSON.stringify(sent)).toContain("No writing.");
  });

  it("are gone when they were for a turn that is over", async () => {
    const clear_at = "next_user_message";
    const messages = [
      user("a"),
      { ...system("old"), clear_at },
      assistant("b"),
      user("c"),
      { ...system("new"), clear_at },
    ];
    const { sent } = await exchange(pair, { messages });
    expect(JSON.stringify(sent)).not.toContain("old");
    expect(JSON.stringify(sent)).toContain("new");
  });

  it("may say how hard to think and nothing else", async () => {
    const messages = [user("a"), { role: "system", output_config: { effort: "high" } }];
    const { reply, sent } = await exchange(pair, { messages });
    expect(JSON.stringify(sent)).not.toMatch(/system|developer/);
    expect(reply.headers["x-svc-warnings"]).toBe(
      '"messages[1].output_config";action=dropped;reason=unsupported',
    );
  });
});

describe("a tool that was found", () => {
  const found = { type: "tool_reference", tool_name: "mcp__calendar__create" };
  const messages = [user("a"), assistant([use]), user([{ ...result, content: [found] }])];

  it.each(["chat", "responses"] as const)(
    "[client-fields.tool-reference] is named in words (%s upstream)",
    async (upstream) => {
      const { reply, sent } = await exchange({ caller: "messages", upstream }, { messages });
      expect(JSON.stringify(sent)).toContain('"Tool found: mcp__calendar__create"');
      expect(reply.headers["x-svc-warnings"]).toBe(
        '"messages[2].content[0].content[0]";action=approximated;reason=wrapped',
      );
    },
  );
});

describe("a chat history, to a messages upstream", () => {
  const pair: Pair = { caller: "chat", upstream: "messages" };

  it.each([
    ["chat", { messages: [system("s"), assistant("b"), user("c")] }, "messages[1]"],
    ["responses", { input: [assistant("b"), user("c")] }, "input[0]"],
  ] as const)(
    "that the assistant begins gets an empty turn first (%s)",
    async (caller, body, at) => {
      const { reply, sent } = await exchange({ caller, upstream: "messages" }, body);
      expect(sent["messages"]).toEqual([user("."), assistant("b"), user("c")]);
      expect(reply.headers["x-svc-warnings"]).toBe(`"${at}";action=approximated;reason=position`);
    },
  );

  it("keeps the cache breakpoints of its calls", async () => {
    const cache_control = { type: "ephemeral" };
    const called = {
      id: "call_1",
      type: "function",
      function: { name: "read", arguments: "{}" },
      cache_control,
    };
    const messages = [
      user("a"),
      { role: "assistant", content: null, tool_calls: [called] },
      { role: "tool", tool_call_id: "call_1", content: "text" },
    ];
    const { reply, sent } = await exchange(pair, { messages });
    expect(sent["messages"]).toMatchObject([
      {},
      { content: [{ type: "tool_use", cache_control }] },
      {},
    ]);
    expect(reply.headers["x-svc-warnings"]).toBeUndefined();
  });

  it("takes a strict tool whose schema only says which draft it is of", async () => {
    const parameters = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { $schema: { type: "string" } },
      required: ["$schema"],
      additionalProperties: false,
    };
    const tool = { type: "function", function: { name: "f", parameters, strict: true } };
    const { reply, sent } = await exchange(pair, { tools: [tool] });
    const { $schema: _draft, ...rest } = parameters;
    expect(sent["tools"]).toMatchObject([{ input_schema: rest, strict: true }]);
    expect(JSON.stringify(sent)).not.toContain("draft");
    expect(reply.headers["x-svc-warnings"]).toBeUndefined();
  });
});

describe("a long id of the end user", () => {
  const long = JSON.stringify({ device_id: "0f".repeat(32), session_id: "5d1c" });
  const asked = {
    chat: { user: long },
    messages: { metadata: { user_id: long } },
    responses: { user: long },
  };

  it.each(crossPairs)("is hashed, $caller caller, $upstream upstream", async (pair) => {
    const { caller } = pair;
    const { reply, sent } = await exchange(pair, asked[caller]);
    expect(JSON.stringify(sent)).not.toContain("device_id");
    expect(JSON.stringify(sent)).toMatch(/"(?:user|user_id)":"[0-9a-f]{64}"/);
    const path = caller === "messages" ? "metadata.user_id" : "user";
    expect(reply.headers["x-svc-warnings"]).toBe(`"${path}";action=approximated;reason=range`);
  });
});
