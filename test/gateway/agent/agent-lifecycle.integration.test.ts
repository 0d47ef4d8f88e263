import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTwoInstances, type TwoInstances } from "../../support/start-two-instances.ts";
import type { TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { json } from "../../support/fake-upstream.ts";
import { heldStream } from "../turn/held-stream.ts";
import { startModelApp } from "../model-app.ts";
import { clientsOf, saying, startAgentCaller } from "./agent-caller.ts";

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
    const held = heldStream();
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

describe("a thread whose turn runs", () => {
  it("[agent.result] [agent.busy] takes the next one when that has ended, at any process", async () => {
    const { openai, upstream, secret, bodies } = await startAgentCaller(first);
    const held = heldStream();
    upstream.playOnce(held.script, saying("dialect_chat", { text: "Two." }));
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
          find: () => Promise.resolve({ id: "thread_1", session: "t", running: "turn_1" }),
          ofTurn: () => Promise.resolve(undefined),
          conversation: () => Promise.reject(new Error("it runs")),
          said: () => {
            throw new Error("it runs");
          },
          begin: () => {
            throw new Error("it is there");
          },
        },
      },
      durableTurns: {
        whenEnded: (_account, _id, signal) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
      },
    });
    const answer = await fetch(`${app.origin}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${app.token}`,
        "content-type": "application/json",
        "x-svc-session": "t",
      },
      body: JSON.stringify({ model: "agent", messages }),
    });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.json()).toMatchObject({ error: { code: "rate_limited" } });
  });

  it("[agent.thread-deleted] is cancelled when it is deleted, wherever that is asked", async () => {
    const { openai, upstream, secret } = await startAgentCaller(first);
    const held = heldStream();
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
    const held = heldStream();
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
