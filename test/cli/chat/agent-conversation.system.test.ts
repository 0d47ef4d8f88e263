import { describe, expect, it, vi } from "vitest";
import { CausewayProcess, runCauseway } from "../../support/causeway-process.ts";
import { TerminalProcess } from "../../support/terminal-process.ts";
import { session, startScriptedAgent, turn } from "./scripted-agent.ts";

vi.setConfig({ testTimeout: 60_000 });

const [ctrlC, ctrlD] = ["\u0003", "\u0004"];

async function openChat(flags: readonly string[] = [], environment = {}) {
  const agent = await startScriptedAgent();
  const chat = TerminalProcess.open(["chat", ...flags], {
    CAUSEWAY_URL: agent.url,
    CAUSEWAY_KEY: "cwk_x",
    ...environment,
  });
  await chat.shows("> ");
  return { agent, chat };
}

const say = (delta: string, index = 0) => ({
  type: "response.output_text.delta",
  output_index: index,
  content_index: 0,
  delta,
});

const think = (delta: string, part = 0) => ({
  type: "response.reasoning_summary_text.delta",
  output_index: 0,
  summary_index: part,
  delta,
});

/** The item of a call, as its events tell it: begun, its arguments, and what it came to. */
function callEvents(index: number, item: Record<string, unknown>, result: Record<string, unknown>) {
  const { arguments: sent, ...begun } = item;
  return {
    begun: [
      {
        type: "response.output_item.added",
        output_index: index,
        item: { ...begun, arguments: "" },
      },
      {
        type: `response.${String(item["type"])}_arguments.done`,
        output_index: index,
        arguments: sent,
      },
    ],
    done: { type: "response.output_item.done", output_index: index, item: { ...item, ...result } },
  };
}

describe("causeway chat with an agent", () => {
  it("shows what it thinks and does, and tells how to go on with the thread", async () => {
    const { agent, chat } = await openChat();
    chat.type("Which bugs are open?\r");
    const stream = await agent.stream();
    stream.tell(think("Let me "), think("look."), think("It is easy.", 1));
    await chat.shows("Let me look.\n\nIt is easy.");
    const item = {
      type: "mcp_call",
      server_label: "tracker",
      name: "search",
      arguments: '{"open":true}',
    };
    const call = callEvents(1, item, { output: "#7 crash\nat start" });
    stream.tell(...call.begun);
    await chat.shows('\n\n→ tracker.search {"open":true}\n');
    stream.tell(call.done);
    await chat.shows("← #7 crash at start\n");
    const bad = callEvents(
      2,
      { ...item, name: "close" },
      { error: { message: "not \u001byours" } },
    );
    stream.tell(...bad.begun, bad.done);
    await chat.shows("← failed: not \u{fffd}yours\n");
    stream.tell(say("One: #7.", 3), say("I left it open.", 4));
    stream.complete();
    await chat.shows("\nOne: #7.\n\nI left it open.\n> ");
    chat.type("Why?\r");
    (await agent.stream()).complete();
    await chat.shows("> ");
    expect(agent.requests).toMatchObject([
      { session: undefined, body: { model: "agent", stream: true } },
      { session },
    ]);
    expect(agent.requests[0]?.body).not.toHaveProperty("store");
    chat.type(ctrlD);
    const { stdout } = await chat.ended();
    expect(stdout).toContain(`Go on with: npx causeway chat agent --session ${session}`);
  });

  it("shows a tool of its own and what it answered", async () => {
    const { agent, chat } = await openChat();
    chat.type("Is left-pad alive?\r");
    const stream = await agent.stream();
    const item = { type: "function_call", call_id: "c", name: "package_health", arguments: "{}" };
    const call = callEvents(0, item, {});
    const output = {
      type: "function_call_output",
      call_id: "c",
      output: [{ type: "input_text", text: "deprecated" }],
    };
    stream.tell(...call.begun, call.done, {
      type: "response.output_item.done",
      output_index: 1,
      item: output,
    });
    await chat.shows("→ package_health {}\n");
    await chat.shows("← deprecated\n");
    expect(chat.screen.match(/package_health \{\}/g)).toHaveLength(1);
  });

  it("sets reasoning apart where there is no colour", async () => {
    const { agent, chat } = await openChat([], { NO_COLOR: "1" });
    chat.type("Hello?\r");
    const stream = await agent.stream();
    stream.tell(think("One.\nTwo."), say("Three."));
    stream.complete();
    await chat.shows("| One.\n| Two.\n\nThree.\n> ");
    expect(chat.stdout).not.toContain("\u001b[2m");
  });

  it("goes on with a thread", async () => {
    const { agent, chat } = await openChat(["agent-fast", "--session", "older"]);
    chat.type("Hello?\r");
    (await agent.stream()).complete();
    await chat.shows("> ");
    expect(agent.requests).toMatchObject([{ session: "older", body: { model: "agent-fast" } }]);
  });

  it("cancels the turn with Ctrl-C", async () => {
    const { agent, chat } = await openChat();
    chat.type("Tell me a story.\r");
    const stream = await agent.stream();
    stream.tell(say("Once upon"));
    await chat.shows("Once upon");
    chat.type(ctrlC);
    await vi.waitUntil(() => agent.requests.length === 2, 10_000);
    expect(agent.requests[1]).toMatchObject({
      method: "POST",
      path: `/v1/responses/${turn}/cancel`,
    });
    stream.complete({ status: "cancelled", incomplete_details: { reason: "cancelled" } });
    await chat.shows("cancelled\n> ");
  });

  it("cancels a turn whose id it does not know yet", async () => {
    const { agent, chat } = await openChat();
    agent.hold();
    chat.type("Tell me a story.\r");
    await vi.waitUntil(() => agent.requests.length === 1, 10_000);
    chat.type(ctrlC);
    await chat.shows("cancelling");
    agent.release();
    const stream = await agent.stream();
    await vi.waitUntil(() => agent.requests.length === 2, 10_000);
    expect(agent.requests[1]?.path).toBe(`/v1/responses/${turn}/cancel`);
    stream.complete({ status: "cancelled" });
    await chat.shows("cancelled\n> ");
  });

  it("takes the stream up again where the connection breaks", async () => {
    const { agent, chat } = await openChat();
    chat.type("Tell me a story.\r");
    const broken = await agent.stream();
    broken.tell(say("Once "), say("upon"));
    await chat.shows("Once upon");
    broken.drop();
    const again = await agent.stream();
    expect(agent.requests[1]).toMatchObject({
      method: "GET",
      path: `/v1/responses/${turn}?stream=true&starting_after=1`,
    });
    again.tell(say(" a time."));
    again.complete();
    await chat.shows(" a time.\n> ");
  });

  it("asks whether a tool may be called, and tells the agent", async () => {
    const { agent, chat } = await openChat();
    chat.type("Send it.\r");
    const request = (id: string, name: string) => ({
      type: "mcp_approval_request",
      id,
      server_label: "mail",
      name,
      arguments: '{"to":"ada"}',
    });
    const output = [request("r_1", "send"), request("r_2", "archive")];
    (await agent.stream()).complete({ output });
    await chat.shows('→ mail.send {"to":"ada"}\nAllow this call? [y/N] ');
    chat.type("y\r");
    await chat.shows("→ mail.archive");
    await chat.shows("[y/N] ");
    chat.type("\r");
    const stream = await agent.stream();
    expect(agent.requests[1]).toMatchObject({
      session,
      body: {
        input: [
          { type: "mcp_approval_response", approval_request_id: "r_1", approve: true },
          { type: "mcp_approval_response", approval_request_id: "r_2", approve: false },
        ],
      },
    });
    stream.tell(say("Sent."));
    stream.complete();
    await chat.shows("Sent.\n> ");
  });
});

describe("causeway chat through a pipe with an agent", () => {
  it("prints the answer alone, and what it did on standard error", async () => {
    const agent = await startScriptedAgent();
    const environment = { CAUSEWAY_URL: agent.url, CAUSEWAY_KEY: "cwk_x" };
    const asked = runCauseway(["chat"], { environment, input: "Which bugs are open?" });
    const stream = await agent.stream();
    const item = { type: "mcp_call", server_label: "tracker", name: "search", arguments: "{}" };
    const call = callEvents(1, item, { output: "#7" });
    stream.tell(think("Hm."), ...call.begun, call.done, say("One: #7.", 2));
    stream.complete();
    expect(await asked).toMatchObject({
      code: 0,
      stdout: "One: #7.\n",
      stderr: "→ tracker.search {}\n← #7\n",
    });
  });

  it("ends with 1 where the agent asks for an approval that nobody can give", async () => {
    const agent = await startScriptedAgent();
    const environment = { CAUSEWAY_URL: agent.url, CAUSEWAY_KEY: "cwk_x" };
    const asked = runCauseway(["chat"], { environment, input: "Send it." });
    const output = [{ type: "mcp_approval_request", id: "r", server_label: "mail", name: "send" }];
    (await agent.stream()).complete({ output });
    const { code, stderr } = await asked;
    expect(code).toBe(1);
    expect(stderr).toContain("The agent asks whether it may call mail.send, ");
  });

  it("cancels the turn with Ctrl-C", async () => {
    const agent = await startScriptedAgent();
    const environment = { CAUSEWAY_URL: agent.url, CAUSEWAY_KEY: "cwk_x" };
    const chat = CausewayProcess.start(["chat", "--message", "Hi"], { environment });
    const stream = await agent.stream();
    stream.tell(say("Once upon"));
    await vi.waitUntil(() => chat.stdout === "Once upon", 10_000);
    chat.signal("SIGINT");
    await vi.waitUntil(() => agent.requests.length === 2, 10_000);
    stream.complete({ status: "cancelled" });
    expect(await chat.ended()).toMatchObject({ code: 130, stdout: "Once upon\n" });
  });
});
