import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startModernServer } from "../../agent/tools/mcp-servers.ts";
import {
  scriptedOutput,
  startAgentCaller,
  type AgentCaller,
} from "../../gateway/agent/agent-caller.ts";
import { dials, waitUntilEnded } from "../../gateway/turn/background-caller.ts";
import { pausedStream } from "../../gateway/turn/paused-stream.ts";
import { runCauseway } from "../../support/causeway-process.ts";
import { TerminalProcess } from "../../support/terminal-process.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

vi.setConfig({ testTimeout: 60_000 });

const [ctrlC, ctrlD] = ["\u0003", "\u0004"];

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

/** A caller whose agent thinks with what a test scripts, and how its command line is run. */
async function caller() {
  const made = await startAgentCaller(causeway);
  const environment = { CAUSEWAY_URL: causeway.url, CAUSEWAY_KEY: made.secret };
  const openChat = async (...flags: string[]): Promise<TerminalProcess> => {
    const chat = TerminalProcess.open(["chat", "agent", ...flags], environment);
    await chat.shows("> ");
    return chat;
  };
  return { ...made, environment, openChat };
}

/** The model answers each of its calls with the next of these. */
function answers({ upstream }: AgentCaller, ...said: Parameters<typeof scriptedOutput>[1][]): void {
  upstream.playOnce(...said.map((one) => scriptedOutput("dialect_chat", one)));
}

const search = { name: "search", inputSchema: { type: "object" } };
const found = { content: [{ type: "text", text: "#7 crash\nat start" }] };

describe("causeway chat with the agent of a server", () => {
  it("goes on with its thread, which threads shows as a conversation", async () => {
    const ada = await caller();
    answers(ada, { text: "Good day.", thought: "She greets." }, { text: "Ada." });
    const first = await ada.openChat("--session", "s_1");
    first.type("I am Ada.\r");
    await first.shows("She greets.\n\nGood day.\n> ");
    first.type(ctrlD);
    expect((await first.ended()).stdout).toContain("causeway chat agent --session s_1");
    const second = await ada.openChat("--session", "s_1");
    second.type("Who am I?\r");
    await second.shows("Ada.\n> ");
    expect(ada.bodies().at(-1)).toMatchObject({
      messages: [
        { role: "user", content: "I am Ada." },
        { role: "assistant", content: "Good day." },
        { role: "user", content: "Who am I?" },
      ],
    });
    const { environment } = ada;
    const { stdout } = await runCauseway(["threads", "get", "s_1"], { environment });
    expect(stdout).toMatch(
      /^s_1: 2 turns, .*\n\nturn_\w+ .* agent\n\n> I am Ada\.\n\nGood day\.\n/,
    );
    await runCauseway(["threads", "delete", "s_1"], { environment });
    expect((await runCauseway(["threads", "list"], { environment })).stdout).toBe("(none)\n");
  });

  it("makes a thread of what was said with an ordinary model before", async () => {
    const ada = await caller();
    answers(ada, { text: "Good day." }, { text: "Ada." }, { text: "Yes, Ada." });
    const chat = await ada.openChat();
    chat.type("/model custom/box/m\r");
    await chat.shows("> ");
    chat.type("I am Ada.\r");
    await chat.shows("Good day.\n> ");
    chat.type("/model agent\r");
    await chat.shows("> ");
    for (const [asked, answer] of [
      ["Who am I?", "Ada."],
      ["Sure?", "Yes, Ada."],
    ]) {
      chat.type(`${asked}\r`);
      await chat.shows(`${answer}\n> `);
    }
    expect(ada.bodies().at(-1)).toMatchObject({
      messages: [
        { role: "user", content: "I am Ada." },
        { role: "assistant", content: "Good day." },
        { role: "user", content: "Who am I?" },
        { role: "assistant", content: "Ada." },
        { role: "user", content: "Sure?" },
      ],
    });
  });

  it("reads a skill that was imported", async () => {
    const ada = await caller();
    const folder = join(causeway.dataDirectory, "pdf-files");
    await mkdir(folder);
    const skill = "---\nname: pdf-files\ndescription: Reads PDF files.\n---\nUse a library.";
    await writeFile(join(folder, "SKILL.md"), skill);
    const imported = await runCauseway(["items", "import", folder], {
      environment: { CAUSEWAY_URL: causeway.url, CAUSEWAY_KEY: ada.user.session },
    });
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    const call = { id: "c_1", name: "read_skill", arguments: '{"name":"pdf-files"}' };
    answers(ada, { calls: [call] }, { text: "Use a library, it says." });
    const chat = await ada.openChat();
    chat.type("How are PDF files read?\r");
    await chat.shows('→ read_skill {"name":"pdf-files"}\n');
    await chat.shows("← Use a library.\n");
    await chat.shows("\nUse a library, it says.\n> ");
  });

  it("calls a tool once a person has allowed it", async () => {
    const ada = await caller();
    const server = await startModernServer({ tools: [search], call: () => found });
    const item = { kind: "mcp", name: "tracker", url: server.url, approval: "always" };
    const made = await causeway.call("POST", "/v1/items", { token: ada.user.session, body: item });
    expect(made.status).toBe(201);
    ada.upstream.playOnce((response, request) => {
      const { tools } = JSON.parse(request.body.toString()) as {
        tools: { function: { name: string } }[];
      };
      const name = tools.map((tool) => tool.function.name).find((it) => it.endsWith("search"));
      const calls = [{ id: "c_1", name: String(name), arguments: '{"open":true}' }];
      return scriptedOutput("dialect_chat", { calls })(response, request);
    });
    answers(ada, { text: "One: #7." });
    const chat = await ada.openChat();
    chat.type("Which bugs are open?\r");
    await chat.shows('→ tracker.search {"open":true}\n');
    await chat.shows("Allow this call? [y/N] ");
    chat.type("y\r");
    await chat.shows('→ tracker.search {"open":true}\n');
    await chat.shows("← #7 crash at start\n");
    await chat.shows("\nOne: #7.\n> ");
  });

  it("cancels the turn with Ctrl-C, and asks on in the same thread", async () => {
    const ada = await caller();
    const stream = pausedStream();
    ada.upstream.playOnce(stream.script);
    const chat = await ada.openChat("--session", "s_1");
    chat.type("Tell me a story.\r");
    await stream.begun;
    stream.say("Once upon");
    await chat.shows("Once upon");
    chat.type(ctrlC);
    await chat.shows("cancelled\n> ");
    expect(await dials(ada.upstream)[0]?.closed).toBeGreaterThan(0);
    const { body } = await ada.call("GET", "/v1/agent/threads/s_1");
    const [turn] = (body as { turns: { id: string; status: string }[] }).turns;
    expect((await waitUntilEnded(ada.openai, String(turn?.id))).status).toBe("cancelled");
    answers(ada, { text: "a time." });
    chat.type("Go on.\r");
    await chat.shows("a time.\n> ");
  });
});
