import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentThreadService, ThreadConversation } from "../../../src/domain/agent-thread.ts";
import { startTwoInstances, type TwoInstances } from "../../support/start-two-instances.ts";
import type { TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { json } from "../../support/fake-upstream.ts";
import { pausedStream } from "../turn/paused-stream.ts";
import { startModelApp, type ModelApp } from "../model-app.ts";
import { clientsOf, scriptedOutput, startAgentCaller } from "./agent-caller.ts";

let servers: TwoInstances;
let first: TestInstance;
let second: TestInstance;

beforeAll(async () => {
  servers = await startTwoInstances();
  ({ first, second } = servers);
});

afterAll(() => servers.close());

const messages = [{ role: "user" as const, content: "Who are you?" }];
const session = (name: string) => ({ headers: { "x-svc-session": name } });

/** Text of a response as it stands at a server. */
async function stateAt(instance: TestInstance, secret: string, id: string) {
  const { body } = await instance.call("GET", `/v1/responses/${id}`, { token: secret });
  return body as { status: string; output: { content: { text: string }[] }[] };
}

describe("a caller who hangs up", () => {
  it("[hang-up.agent] [error.499-agent] [responses.replay] [responses.turns] [agent.independent] leaves a turn that goes on, and is followed from the beginning at another process", async () => {
    const { openai, upstream, secret } = await startAgentCaller(first);
    const held = pausedStream();
    upstream.play(held.script);
    const gone = new AbortController();
    const { data, response } = await openai.chat.completions
      .create({ model: "agent", messages, stream: true }, { signal: gone.signal })
      .withResponse();
    const turn = response.headers.get("x-svc-turn") ?? "";
    await held.begun;
    held.say("I am ");
    const received: string[] = [];
    for await (const { choices } of data) {
      received.push(choices[0]?.delta.content ?? "");
      if (received.includes("I am ")) break;
    }
    gone.abort();
    await waitUntil(() =>
      first.logLines().some(({ turn: id, status }) => id === turn && status === 499),
    );
    held.say("Bo.");
    held.end();
    await waitUntil(async () => (await stateAt(second, secret, turn)).status === "completed");
    const elsewhere = clientsOf(second, secret).openai;
    let text = "";
    for await (const event of await elsewhere.responses.retrieve(turn, { stream: true })) {
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    expect(text).toBe("I am Bo.");
    const thread = response.headers.get("x-svc-session") ?? "";
    const { body } = await second.call("GET", `/v1/agent/threads/${thread}`, { token: secret });
    expect(body.turns).toMatchObject([{ id: turn, status: "completed" }]);
  });
});

/** A busy thread is found, and nothing of it is read. */
const unusedThreads: Omit<AgentThreadService, "find"> = {
  findByTurn: () => Promise.resolve(undefined),
  conversation: () => Promise.reject(new Error("it runs")),
  conversationOf: () => {
    throw new Error("it runs");
  },
  resentConversation: () => {
    throw new Error("it runs");
  },
  prepareThread: () => {
    throw new Error("it is there");
  },
};

function askInSession(
  { origin, token }: ModelApp,
  said: readonly object[] = messages,
): Promise<Response> {
  return fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-svc-session": "t",
    },
    body: JSON.stringify({ model: "agent", messages: said }),
  });
}

describe("a thread whose turn runs", () => {
  it("[agent.result] [agent.busy] takes the next one when that has ended, at any process", async () => {
    const { openai, upstream, secret, bodies } = await startAgentCaller(first);
    const held = pausedStream();
    upstream.playOnce(held.script, scriptedOutput("dialect_chat", { text: "Two." }));
    const one = openai.chat.completions.create({ model: "agent", messages }, session("t"));
    await held.begun;
    const next = { model: "agent", input: "And then?" };
    const waiting = clientsOf(second, secret).openai.responses.create(next, session("t"));
    held.say("One.");
    await waitUntil(() => bodies().length === 1);
    held.end();
    expect((await one).choices[0]?.message.content).toBe("One.");
    expect((await waiting).output_text).toBe("Two.");
    expect(JSON.stringify(bodies()[1])).toContain("One.");
  });

  it("[agent.busy] refuses it with 429 where that takes too long", async () => {
    const app = await startModelApp({
      agents: {
        waitMs: 50,
        threads: {
          ...unusedThreads,
          find: () => Promise.resolve({ id: "thread_1", session: "t", running: "turn_1" }),
        },
      },
      durableTurns: {
        waitUntilEnded: (_account, _id, signal) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
      },
    });
    const answer = await askInSession(app);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.json()).toMatchObject({ error: { code: "rate_limited" } });
  });

  it("wakes one of its waiting callers when that has ended, and refuses the others in time", async () => {
    const callers = 8;
    const ended = Promise.withResolvers<void>();
    let running = "turn_1";
    const looks: string[] = [];
    const waits: string[] = [];
    const app = await startModelApp({
      agents: {
        waitMs: 1000,
        threads: {
          ...unusedThreads,
          find: () => {
            looks.push(running);
            return Promise.resolve({ id: "thread_1", session: "t", running });
          },
        },
      },
      durableTurns: {
        waitUntilEnded: (_account, id, signal) => {
          waits.push(id);
          const left = new Promise<void>((resolve) =>
            signal.addEventListener("abort", () => resolve()),
          );
          return id === "turn_1" ? Promise.race([ended.promise, left]) : left;
        },
      },
    });
    const ask = () => askInSession(app);
    const answers = Array.from({ length: callers }, ask);
    await waitUntil(() => looks.length === callers);
    running = "turn_2";
    ended.resolve();
    await waitUntil(() => waits.includes("turn_2"));
    expect(looks).toEqual([...Array<string>(callers).fill("turn_1"), "turn_2"]);
    expect(waits).toEqual(["turn_1", "turn_2"]);
    for (const { status } of await Promise.all(answers)) expect(status).toBe(429);
  });

  it("serves a waiting caller before one that comes when it has ended", async () => {
    const ended = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    const said = { lastTurn: "turn_1", lastEngine: undefined, items: [messages[0]] };
    const none = { openCalls: new Set<string>(), openApprovals: new Set<string>() };
    const conversation = { ...said, ...none, before: () => [] } as unknown as ThreadConversation;
    let looks = 0;
    const app = await startModelApp({
      agents: {
        threads: {
          ...unusedThreads,
          find: () => {
            looks += 1;
            const running = looks === 1 ? "turn_1" : undefined;
            return Promise.resolve({ id: "thread_1", session: "t", running });
          },
          conversation: () => {
            // The newcomer has found the thread free.
            ended.resolve();
            return Promise.resolve(conversation);
          },
          conversationOf: () => conversation,
          resentConversation: () => conversation,
        },
      },
      durableTurns: {
        waitUntilEnded: () => {
          waits.resolve();
          return ended.promise;
        },
      },
    });
    const answered: string[] = [];
    const ask = async (name: string): Promise<void> => {
      await askInSession(app);
      answered.push(name);
    };
    const waiting = ask("waits");
    await waits.promise;
    await Promise.all([waiting, ask("comes later")]);
    expect(answered).toEqual(["waits", "comes later"]);
    expect(looks).toBe(4);
  });

  it("counts the bodies of its waiting callers as they came and as they are parsed", async () => {
    const text = "x".repeat(100_000);
    const held: number[] = [];
    const app = await startModelApp({
      agents: {
        waitMs: 50,
        threads: {
          ...unusedThreads,
          find: () => Promise.resolve({ id: "thread_1", session: "t", running: "turn_1" }),
        },
      },
      durableTurns: {
        waitUntilEnded: (_account, _id, signal) => {
          held.push(app.bodies.all.bytes);
          return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
        },
      },
    });
    const answer = await askInSession(app, [{ role: "user", content: text }]);
    expect(answer.status).toBe(429);
    expect(held[0]).toBeGreaterThan(2 * text.length);
  });

  it("serves all that wait for it, one after the other", async () => {
    const { openai, upstream } = await startAgentCaller(first);
    const held = pausedStream();
    upstream.play(scriptedOutput("dialect_chat", { text: "Next." }));
    upstream.playOnce(held.script);
    const one = openai.chat.completions.create({ model: "agent", messages }, session("line"));
    await held.begun;
    const ask = (input: string) =>
      openai.responses.create({ model: "agent", input }, session("line"));
    const waiting = ["a", "b", "c", "d", "e"].map(ask);
    held.say("One.");
    held.end();
    await one;
    for (const { output_text } of await Promise.all(waiting)) expect(output_text).toBe("Next.");
  });

  it("[agent.thread-deleted] is cancelled when it is deleted, wherever that is asked", async () => {
    const { openai, upstream, secret } = await startAgentCaller(first);
    const held = pausedStream();
    upstream.play(held.script);
    const running = openai.chat.completions.create({ model: "agent", messages }, session("gone"));
    const ended = running.catch(() => undefined);
    await held.begun;
    const path = "/v1/agent/threads/gone";
    const deleted = await second.call("DELETE", path, { token: secret });
    expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
    await upstream.requests.at(-1)?.closed;
    expect((await first.call("GET", path, { token: secret })).status).toBe(404);
    await ended;
  });
});

describe("a turn that is cancelled or fails", () => {
  it("ends a chat stream as cut, and says so to the caller of responses", async () => {
    const { openai, upstream, secret } = await startAgentCaller(first);
    const held = pausedStream();
    upstream.play(held.script);
    const { data, response } = await openai.chat.completions
      .create({ model: "agent", messages, stream: true })
      .withResponse();
    const turn = response.headers.get("x-svc-turn") ?? "";
    await held.begun;
    held.say("Half ");
    await waitUntil(async () => (await stateAt(first, secret, turn)).status === "in_progress");
    const cancelled = await clientsOf(second, secret).openai.responses.cancel(turn);
    expect(cancelled.status).toBe("cancelled");
    const finishes: unknown[] = [];
    for await (const { choices } of data) finishes.push(choices[0]?.finish_reason);
    expect(finishes).toContain("length");
  });

  it("[agent.failed] tells the upstream's error in each dialect, in the middle of a stream too", async () => {
    const { openai, anthropic, upstream } = await startAgentCaller(first);
    upstream.play(json({ error: { message: "The card has expired.", type: "billing" } }, 400));
    const whole = openai.chat.completions.create({ model: "agent", messages });
    await expect(whole).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining("The card has expired."),
    });
    const asked = { model: "agent", max_tokens: 99, messages };
    const streamed = anthropic.messages.stream(asked).finalMessage();
    await expect(streamed).rejects.toThrow("The card has expired.");
    const response = await openai.responses.create({ model: "agent", input: "Who?" });
    expect(response).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("The card has expired.") },
    });
  });
});
