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
