import { describe, expect, it } from "vitest";
import {
  startStrictUpstream,
  type StrictUpstream,
} from "../../support/strict-upstream/start-strict-upstream.ts";
import { addUpstreams, catalogue } from "../call.ts";
import { startModelApp, type ModelApp } from "../model-app.ts";
import { models } from "./pairs.ts";
import { claudeCodeSession } from "./sessions/claude-code-session.ts";
import { chatSession } from "./sessions/chat-session.ts";
import { codexSession } from "./sessions/codex-session.ts";

interface Stage {
  readonly app: ModelApp;
  readonly upstream: StrictUpstream;
}

/** The model routes with one strict upstream behind all three dialects. */
async function start(): Promise<Stage> {
  const app = await startModelApp({ catalogue });
  const upstream = await startStrictUpstream();
  addUpstreams(app, upstream.origin);
  return { app, upstream };
}

function faultsOf({ exchanges }: StrictUpstream) {
  return exchanges.flatMap(({ faults }) => faults);
}

const upstreams = ["chat", "messages", "responses"] as const;

describe.each(upstreams)("four turns of Claude Code with tools, %s upstream", (dialect) => {
  it("[client-fields.sessions] are taken by a strict upstream and say what they should", async () => {
    const { app, upstream } = await start();
    const session = claudeCodeSession(app, models[dialect]);
    const one = await session.ask('call Read {"file_path":"/a.txt"}\nthen\nsay It holds one line.');
    expect(one).toEqual({
      text: "It holds one line.",
      calls: [{ name: "Read", input: { file_path: "/a.txt" } }],
    });
    const two = await session.ask(
      'call Read {"file_path":"/a.txt"}\ncall Bash {"command":"ls","timeout":5}\nthen\ncall Read {"file_path":"/b.png"}\nthen\nsay Two and one.',
    );
    expect(two).toEqual({
      text: "Two and one.",
      calls: [
        { name: "Read", input: { file_path: "/a.txt" } },
        { name: "Bash", input: { command: "ls", timeout: 5 } },
        { name: "Read", input: { file_path: "/b.png" } },
      ],
    });
    const three = await session.ask(
      'call ToolSearch {"query":"calendar"}\nthen\ncall mcp__calendar__create_event {"title":"Lunch"}\nthen\nsay Planned.',
    );
    expect(three.text).toBe("Planned.");
    expect(three.calls.map(({ name }) => name)).toEqual([
      "ToolSearch",
      "mcp__calendar__create_event",
    ]);
    const four = await session.ask("Answer exactly: Zürich 🙂");
    expect(four).toEqual({ text: "Zürich 🙂", calls: [] });
    expect(faultsOf(upstream)).toEqual([]);
    expect(upstream.exchanges).toHaveLength(9);
  });
});

describe.each(
  (["usual", "lite"] as const).flatMap((form) => upstreams.map((dialect) => ({ form, dialect }))),
)("four turns of Codex with tools, $dialect upstream, $form requests", ({ form, dialect }) => {
  it("are taken by a strict upstream and say what they should", async () => {
    const { app, upstream } = await start();
    const session = codexSession(app, models[dialect], form);
    const one = await session.ask(
      'call exec_command {"cmd":"cat a"}\nthen\nsay It holds one line.',
    );
    expect(one).toEqual({
      text: "It holds one line.",
      calls: [{ name: "exec_command", input: { cmd: "cat a" } }],
    });
    const two = await session.ask(
      'call exec_command {"cmd":"ls"}\ncall view_image {"path":"b.png"}\nthen\ncall apply_patch *** Begin "Patch"\nthen\nsay Patched.',
    );
    expect(two).toEqual({
      text: "Patched.",
      calls: [
        { name: "exec_command", input: { cmd: "ls" } },
        { name: "view_image", input: { path: "b.png" } },
        { name: "apply_patch", input: '*** Begin "Patch"' },
      ],
    });
    const three = await session.ask(
      'call tool_search {"query":"event","limit":1}\nthen\ncall create_event {"title":"Lunch"}\nthen\nsay Planned.',
    );
    expect(three).toEqual({
      text: "Planned.",
      calls: [
        { name: "tool_search", input: { query: "event", limit: 1 } },
        { name: "mcp__calendar/create_event", input: { title: "Lunch" } },
      ],
    });
    const four = await session.ask("Answer exactly: Zürich 🙂");
    expect(four).toEqual({ text: "Zürich 🙂", calls: [] });
    expect(faultsOf(upstream)).toEqual([]);
    expect(upstream.exchanges).toHaveLength(9);
  });
});

describe.each(
  (["usual", "lite"] as const).flatMap((form) => upstreams.map((dialect) => ({ form, dialect }))),
)("turns of Codex, $dialect upstream, $form requests", ({ form, dialect }) => {
  it("[lasting.compaction-trigger] go on when the session compacts itself in the middle", async () => {
    const { app, upstream } = await start();
    const session = codexSession(app, models[dialect], form);
    const one = await session.ask("Run exec_command, please.");
    expect(one.calls.map(({ name }) => name)).toEqual(["exec_command"]);
    await session.compact();
    const asked = upstream.exchanges.length;
    expect(await session.ask('call exec_command {"cmd":"ls"}\nthen\nsay Listed.')).toEqual({
      text: "Listed.",
      calls: [{ name: "exec_command", input: { cmd: "ls" } }],
    });
    // The double does not compact, and says so.
    const faults = faultsOf(upstream).filter(({ message }) => !message.includes("compaction_"));
    expect(faults).toEqual([]);
    const sent = upstream.exchanges.slice(asked).map(({ body }) => JSON.stringify(body));
    expect(sent.filter((body) => body.includes("causeway-compaction."))).toEqual([]);
    expect(sent.every((body) => body.includes("replaced by a summary"))).toBe(true);
  });
});

describe.each(["messages", "responses"] as const)(
  "four turns of a chat agent with tools, %s upstream",
  (dialect) => {
    it("are taken by a strict upstream and say what they should", async () => {
      const { app, upstream } = await start();
      const session = chatSession(app, models[dialect]);
      const read = (path: string) => ({ name: "read", input: { path } });
      const script = (...paths: string[]) =>
        paths.map((path) => `call read {"path":"${path}"}`).join("\n");
      expect(await session.ask(`${script("a")}\nthen\nsay One.`)).toEqual({
        text: "One.",
        calls: [read("a")],
      });
      expect(
        await session.ask(`${script("a", "b")}\nthen\n${script("c")}\nthen\nsay Two.`),
      ).toEqual({
        text: "Two.",
        calls: [read("a"), read("b"), read("c")],
      });
      expect(await session.ask(script("d"))).toEqual({
        text: "The tools said: one line",
        calls: [read("d")],
      });
      expect(await session.ask("Answer exactly: Zürich 🙂")).toEqual({
        text: "Zürich 🙂",
        calls: [],
      });
      expect(faultsOf(upstream)).toEqual([]);
    });
  },
);
