import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, stream, type Script } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { startCreditsInstance, type CreditsInstance } from "./credits-instance.ts";

let sold: CreditsInstance;

beforeAll(async () => {
  sold = await startCreditsInstance();
});

afterAll(() => sold.close());

const requests = {
  chat: { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "hi" }] } },
  messages: {
    path: "/v1/messages",
    body: { max_tokens: 50, messages: [{ role: "user", content: "hi" }] },
  },
  responses: { path: "/v1/responses", body: { input: "hi", store: false } },
};

type Dialect = keyof typeof requests;

/** Sends a call of a new account. Returns its cost in millionths of a dollar, and the response. */
async function charge(dialect: Dialect, body: object, script: Script) {
  const { secret: token } = await sold.buyer();
  sold.upstream.playOnce(script);
  const { path, body: base } = requests[dialect];
  const answer = await sold.causeway.call("POST", path, { token, body: { ...base, ...body } });
  expect(answer.status).toBe(200);
  const wallet = async () => (await sold.causeway.call("GET", "/v1/wallet", { token })).body;
  await waitUntil(async () => (await wallet()).held_usd === 0);
  return { cost: (1 - (await wallet()).balance_usd) * 1e6, body: answer.body };
}

const frame = (data: object | string): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const chatUsage = {
  prompt_tokens: 32,
  completion_tokens: 9,
  total_tokens: 1041,
  completion_tokens_details: { reasoning_tokens: 1000 },
};
const chatMessage = { role: "assistant", content: "ok" };
const chatBody = json({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: chatMessage, finish_reason: "stop" }],
  usage: chatUsage,
});
const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
const chatStream = stream([
  frame({ ...chunk, choices: [{ index: 0, delta: chatMessage, finish_reason: null }] }),
  frame({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  frame({ ...chunk, choices: [], usage: chatUsage }),
  frame("[DONE]"),
]);

const dialects: readonly Dialect[] = ["chat", "messages", "responses"];

describe("a call on credits to a vendor that counts reasoning outside of its completion", () => {
  it.each(dialects)("costs a %s caller the reasoning too", async (dialect) => {
    const whole = await charge(dialect, { model: "talker" }, chatBody);
    expect(whole.cost).toBeCloseTo(32 + 1009 * 2, 3);
    const streamed = await charge(dialect, { model: "talker", stream: true }, chatStream);
    expect(streamed.cost).toBeCloseTo(32 + 1009 * 2, 3);
  });

  it("passes the usage on to a chat caller as the vendor sent it", async () => {
    const { body } = await charge("chat", { model: "talker" }, chatBody);
    expect(body.usage).toEqual(chatUsage);
  });

  it("reports the output that it charges to callers of other dialects", async () => {
    const messages = await charge("messages", { model: "talker" }, chatBody);
    expect(messages.body.usage).toMatchObject({ input_tokens: 32, output_tokens: 1009 });
    const responses = await charge("responses", { model: "talker" }, chatBody);
    expect(responses.body.usage).toMatchObject({
      input_tokens: 32,
      output_tokens: 1009,
      output_tokens_details: { reasoning_tokens: 1000 },
      total_tokens: 1041,
    });
  });
});

const messagesUsage = {
  input_tokens: 2300,
  output_tokens: 100,
  iterations: [
    { type: "compaction", input_tokens: 18_000, output_tokens: 350 },
    { type: "message", input_tokens: 2300, output_tokens: 100 },
  ],
};
const head = { id: "msg_1", type: "message", role: "assistant", model: "m" };
const messagesBody = json({
  ...head,
  content: [{ type: "text", text: "ok" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: messagesUsage,
});
const messagesStream = stream(
  [
    {
      type: "message_start",
      message: { ...head, content: [], usage: { input_tokens: 2300, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "ok" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: messagesUsage,
    },
    { type: "message_stop" },
  ].map((event) => `event: ${event.type}\n${frame(event)}`),
);
const compact = { context_management: { edits: [{ type: "compact_20260112" }] } };

describe("a call on credits whose vendor compacts the conversation first", () => {
  it.each(dialects)("costs a %s caller the compaction too", async (dialect) => {
    const more = dialect === "messages" ? compact : {};
    const whole = await charge(dialect, { model: "blocker", ...more }, messagesBody);
    expect(whole.cost).toBeCloseTo(20_300 + 450 * 2, 3);
    const asked = { model: "blocker", stream: true, ...more };
    const streamed = await charge(dialect, asked, messagesStream);
    expect(streamed.cost).toBeCloseTo(20_300 + 450 * 2, 3);
  });

  it("passes the usage on to a messages caller as the vendor sent it", async () => {
    const { body } = await charge("messages", { model: "blocker", ...compact }, messagesBody);
    expect(body.usage).toEqual(messagesUsage);
  });

  it("reports the tokens that it charges to a chat caller", async () => {
    const { body } = await charge("chat", { model: "blocker" }, messagesBody);
    expect(body.usage).toMatchObject({
      prompt_tokens: 20_300,
      completion_tokens: 450,
      total_tokens: 20_750,
    });
  });
});

describe("the hold of a call on credits that may be compacted first", () => {
  it("includes the compaction", async () => {
    const { secret: token } = await sold.buyer();
    sold.upstream.play(json({ error: { message: "no" } }, 400));
    // 125,000 tokens and 200,000 of output at 1 and 2 dollars a million: more than half of a dollar.
    const messages = [{ role: "user", content: "word ".repeat(100_000) }];
    const body = { model: "blocker", max_tokens: 200_000, messages };
    const { status } = await sold.causeway.call("POST", "/v1/messages", { token, body });
    expect(status).toBe(400);
    const asked = { ...body, ...compact };
    const refused = await sold.causeway.call("POST", "/v1/messages", { token, body: asked });
    expect(refused.status).toBe(402);
  });
});
