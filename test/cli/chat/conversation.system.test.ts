import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  model,
  scriptedOutput,
  startAgentCaller,
  type UpstreamDialect,
} from "../../gateway/agent/agent-caller.ts";
import { dials } from "../../gateway/turn/background-caller.ts";
import { pausedStream, type PausedStream } from "../../gateway/turn/paused-stream.ts";
import { json } from "../../support/fake-upstream.ts";
import { TerminalProcess } from "../../support/terminal-process.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

vi.setConfig({ testTimeout: 60_000 });

const [ctrlC, ctrlD] = ["\u0003", "\u0004"];

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

/** A chat in a terminal that has shown its first prompt. */
async function openChat(
  environment: Readonly<Record<string, string>> = {},
  dialect?: UpstreamDialect,
) {
  const caller = await startAgentCaller(causeway, dialect);
  const { upstream, secret } = caller;
  const bodies = () => caller.bodies();
  const chat = TerminalProcess.open(["chat", model], {
    CAUSEWAY_URL: causeway.url,
    CAUSEWAY_KEY: secret,
    ...environment,
  });
  await chat.shows("> ");
  const say = async (message: string): Promise<PausedStream> => {
    const stream = pausedStream();
    upstream.play(stream.script);
    chat.type(`${message}\r`);
    await stream.begun;
    return stream;
  };
  const answered = async (message: string, answer: string): Promise<void> => {
    const stream = await say(message);
    stream.say(answer);
    stream.end();
    await chat.shows(`${answer}\n> `);
  };
  /** The messages of the last call that the upstream got. */
  const messages = (): unknown => bodies().at(-1)?.["messages"];
  return { chat, say, answered, messages, upstream, bodies };
}

describe("causeway chat in a terminal", () => {
  it("shows words as they come, and leaves with Ctrl-D", async () => {
    const { chat, say } = await openChat();
    const stream = await say("Hello?");
    stream.say("Good ");
    await chat.shows("Good ");
    stream.say("day.");
    stream.end();
    await chat.shows("day.\n> ");
    chat.type(ctrlD);
    expect(await chat.ended()).toMatchObject({ code: 0 });
  });

  it("sends an ordinary model what was said before", async () => {
    const { chat, answered, messages } = await openChat();
    await answered("I am Ada.", "Good day.");
    await answered("Who am I?", "Ada.");
    expect(messages()).toEqual([
      { role: "user", content: "I am Ada." },
      { role: "assistant", content: "Good day." },
      { role: "user", content: "Who am I?" },
    ]);
    chat.type("/new\r");
    await chat.shows("A new conversation.\n> ");
    await answered("Who am I?", "Nobody.");
    expect(messages()).toEqual([{ role: "user", content: "Who am I?" }]);
  });

  it("goes on with another model, which may turn out not to be there", async () => {
    const { chat, answered, messages } = await openChat();
    await answered("I am Ada.", "Good day.");
    chat.type("/model nobody/other\r");
    await chat.shows("The model is nobody/other.\n> ");
    chat.type("Who am I?\r");
    await chat.shows("no_vendor_credential");
    await chat.shows("> ");
    chat.type(`/model ${model}\r`);
    await chat.shows("> ");
    await answered("And now?", "Ada.");
    expect(messages()).toEqual([
      { role: "user", content: "I am Ada." },
      { role: "assistant", content: "Good day." },
      { role: "user", content: "And now?" },
    ]);
  });

  it("knows its commands, and no others", async () => {
    const { chat, answered, messages } = await openChat();
    chat.type("/help\r");
    await chat.shows("/quit          leaves");
    chat.type("/dance\r");
    await chat.shows("There is no command /dance; /help shows them.\n> ");
    await answered("/etc/hosts has what?", "Names.");
    expect(messages()).toEqual([{ role: "user", content: "/etc/hosts has what?" }]);
    chat.type("/quit\r");
    expect(await chat.ended()).toMatchObject({ code: 0 });
  });

  it("takes a message of several lines, typed or pasted", async () => {
    const { chat, answered, messages } = await openChat();
    await answered("one\\\rtwo", "Both.");
    expect(messages()).toEqual([{ role: "user", content: "one\ntwo" }]);
    chat.type("/new\r");
    await chat.shows("> ");
    await answered("\u001b[200~if (x) {\r  y\\\r}\u001b[201~ what?", "Code.");
    expect(messages()).toEqual([{ role: "user", content: "if (x) {\n  y\\\n} what?" }]);
  });

  it("ends the call with Ctrl-C, keeps what was said, and gives the prompt back", async () => {
    const { chat, say, answered, messages, upstream } = await openChat();
    const stream = await say("Tell me a story.");
    stream.say("Once upon");
    await chat.shows("Once upon");
    chat.type(ctrlC);
    await chat.shows("cancelled\n> ");
    expect(await dials(upstream)[0]?.closed).toBeGreaterThan(0);
    await answered("Go on.", "a time.");
    expect(messages()).toEqual([
      { role: "user", content: "Tell me a story." },
      { role: "assistant", content: "Once upon" },
      { role: "user", content: "Go on." },
    ]);
  });

  it("leaves with Ctrl-C twice, in an answer or at the prompt", async () => {
    const { chat, say } = await openChat();
    await say("Tell me a story.");
    chat.type(ctrlC);
    await chat.shows("cancelled\n> ");
    chat.type(ctrlC);
    expect(await chat.ended()).toMatchObject({ code: 0 });
    const other = await openChat();
    other.chat.type("half a mess");
    other.chat.type(ctrlC);
    await other.chat.shows("> ");
    other.chat.type(ctrlC);
    await other.chat.shows("Ctrl-C again, or Ctrl-D, leaves.\n> ");
    other.chat.type(ctrlC);
    expect(await other.chat.ended()).toMatchObject({ code: 0 });
    expect(dials(other.upstream)).toEqual([]);
  });

  it("lets nothing that a model says steer the terminal", async () => {
    const { chat, say } = await openChat();
    const stream = await say("Hello?");
    stream.say("\u001b[2J\u009b2Jgone\tto\r\nlunch");
    stream.end();
    await chat.shows("gone\tto\nlunch\n> ");
    expect(chat.stdout).toContain("\u{fffd}[2J\u{fffd}2Jgone");
    expect(chat.stdout).not.toContain("\u001b[2J");
  });

  it("asks again without thoughts where the vendor does not tell them", async () => {
    const { chat, upstream, bodies } = await openChat({}, "dialect_responses");
    const answer = scriptedOutput("dialect_responses", { text: "Good day." });
    const message = "Unsupported parameter: 'reasoning.summary' is not supported with this model.";
    upstream.playOnce(
      json({ error: { message, param: "reasoning.summary" } }, 400),
      answer,
      answer,
    );
    for (const asked of ["Hello?", "Again?"]) {
      chat.type(`${asked}\r`);
      await chat.shows("Good day.\n> ");
    }
    expect(bodies().map(({ reasoning }) => reasoning)).toEqual([
      { summary: "auto" },
      undefined,
      undefined,
    ]);
    expect(chat.screen).not.toContain("Unsupported");
  });

  it("has no colour where NO_COLOR says so", async () => {
    const dim = "\u001b[2m";
    const { chat } = await openChat();
    expect(chat.stdout).toContain(dim);
    const plain = await openChat({ NO_COLOR: "1" });
    plain.chat.type("/help\r");
    await plain.chat.shows("/quit");
    expect(plain.chat.stdout).not.toContain(dim);
  });
});
