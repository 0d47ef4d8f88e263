import { describe, expect, it } from "vitest";
import { json, stream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call } from "../call.ts";
import { newResourceId } from "../../../src/platform/ids.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { models, paths, type Body } from "./pairs.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";

/** What a vendor signed; a chat client that knows no `reasoning_details` loses it. */
const signed = "SIGNED-BY-THE-VENDOR==";
const thought = "The map first.";
const input = { city: "Oslo", days: 2 };

const usage = { input_tokens: 5, output_tokens: 9 };
const thinking = { type: "thinking", thinking: thought, signature: signed };
const toolUse = { type: "tool_use", id: "call_0", name: "weather", input };

function claudeAnswer(content: readonly Body[]) {
  return { ...(responseFixtures.messages.whole as Body), content, stop_reason: "tool_use", usage };
}

const named = (event: Body) =>
  `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`;

function claudeStream(content: readonly Body[]): string[] {
  const blocks = content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]);
  const events: Body[] = [
    { type: "message_start", message: { ...claudeAnswer([]), stop_reason: null } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  return events.map(named);
}

const reasoned = {
  ...(responseFixtures.responses.whole as Body),
  output: [
    {
      id: "rs_up",
      type: "reasoning",
      summary: [{ type: "summary_text", text: thought }],
      encrypted_content: signed,
    },
    {
      id: "fc_up",
      type: "function_call",
      call_id: "call_0",
      name: "weather",
      arguments: JSON.stringify(input),
      status: "completed",
    },
  ],
};

const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
const question = { role: "user", content: "Weather?" };

/** The history as a client sends it back that knows what the vendor of the dialect documents. */
function plainHistory(text = JSON.stringify(input), id = "call_0"): [Body, Body, Body] {
  const made = { id, type: "function", function: { name: "weather", arguments: text } };
  return [
    question,
    { role: "assistant", content: null, tool_calls: [made] },
    { role: "tool", tool_call_id: id, content: "sun" },
  ];
}

const minute = 60_000;

async function start() {
  const time = { now: Date.now() };
  const started = await startAppWithUpstream({ clock: { now: () => time.now } });
  const ask = (model: string, messages: readonly Body[], more: Body = {}) =>
    call(started.app, paths.chat, { model, messages, tools, ...more });
  const sent = async (index: number): Promise<Body> =>
    JSON.parse((await started.upstream.request(index)).body.toString()) as Body;
  return { ...started, time, ask, sent };
}

type Started = Awaited<ReturnType<typeof start>>;

/** One answer with a call, then the history without `reasoning_details`. */
async function goOn(started: Started, history: readonly Body[] = plainHistory(), more: Body = {}) {
  const { upstream, ask, sent } = started;
  upstream.play(json(claudeAnswer([thinking, toolUse])));
  await ask(models.messages, [question]);
  const reply = await ask(models.messages, history, more);
  return { reply, body: JSON.stringify(await sent(upstream.requests.length - 1)) };
}

describe("thoughts of chat callers who send tool calls back without them", () => {
  it.each([false, true])(
    "come back to the vendor that signed them (stream %s)",
    async (isStream) => {
      const { app, upstream, ask, sent } = await start();
      const content = [thinking, toolUse];
      upstream.playOnce(isStream ? stream(claudeStream(content)) : json(claudeAnswer(content)));
      const first = await ask(models.messages, [question], { stream: isStream });
      if (isStream) expect(parseEventStreamText(first.text).at(-1)?.data).toBe("[DONE]");
      upstream.play(json(claudeAnswer(content)));
      const second = await ask(models.messages, plainHistory());
      expect(second.headers["x-svc-warnings"]).toBeUndefined();
      const messages = (await sent(1))["messages"] as Body[];
      expect(messages[1]).toEqual({ role: "assistant", content: [thinking, toolUse] });
      expect(app.faults).toEqual([]);
    },
  );

  it("come back encrypted to a responses upstream", async () => {
    const { upstream, ask, sent } = await start();
    upstream.play(json(reasoned));
    await ask(models.responses, [question]);
    await ask(models.responses, plainHistory());
    const items = (await sent(1))["input"] as Body[];
    expect(items[1]).toMatchObject({ type: "reasoning", id: "rs_up", encrypted_content: signed });
    expect(items[2]).toMatchObject({ type: "function_call", call_id: "call_0" });
  });

  it("come back although the client printed the arguments anew, and sends plain words", async () => {
    const started = await start();
    const [asked, said, result] = plainHistory('{ "city" : "Oslo",\n"days":2 }');
    const { body } = await goOn(started, [asked, { ...said, reasoning_content: thought }, result]);
    expect(body).toContain(signed);
  });

  it("stay with the key: another one of the same account does not have them", async () => {
    const started = await start();
    const { upstream, ask, sent, app } = started;
    const { body } = await goOn(started);
    expect(body).toContain(signed);
    app.setKey({ principal: { ...app.principal, keyId: newResourceId("key") } });
    await ask(models.messages, plainHistory());
    expect(JSON.stringify(await sent(upstream.requests.length - 1))).not.toContain(signed);
  });

  it("belong to the call that the model made, not to any of the same id", async () => {
    const { body } = await goOn(await start(), plainHistory('{"city":"Rome"}'));
    expect(body).not.toContain(signed);
  });

  it("never go to another upstream, and the caller is told", async () => {
    const started = await start();
    const baseUrl = new URL(`${started.upstream.origin}/v1`);
    started.app.addEndpoint({ slug: "other", dialect: "dialect_messages", baseUrl });
    await goOn(started);
    const reply = await started.ask("custom/other/up", plainHistory());
    const last = await started.sent(started.upstream.requests.length - 1);
    expect(JSON.stringify(last)).not.toContain(signed);
    expect(reply.headers["x-svc-warnings"]).toBe(
      '"messages[1].reasoning_details";action=dropped;reason=foreign',
    );
  });

  it("come back once, although the history repeats the call", async () => {
    const started = await start();
    const [asked, ...rest] = plainHistory();
    const { reply, body } = await goOn(started, [asked, ...rest, ...rest, ...rest]);
    expect(body.split(signed)).toHaveLength(2);
    expect(reply.headers["x-svc-warnings"]).toBe(
      [3, 5]
        .map((place) => `"messages[${place}].reasoning_details";action=dropped;reason=forgotten`)
        .join(", "),
    );
  });

  it("are forgotten after an hour, and a call that asks for thinking is told", async () => {
    const started = await start();
    await goOn(started);
    started.time.now += 59 * minute;
    expect((await goOnLater(started)).body).toContain(signed);
    started.time.now += 2 * minute;
    const { reply, body } = await goOnLater(started);
    expect(body).not.toContain(signed);
    expect(reply.headers["x-svc-warnings"]).toContain(
      '"messages[1].reasoning_details";action=dropped;reason=forgotten',
    );
    const unasked = await started.ask(models.messages, plainHistory());
    expect(unasked.headers["x-svc-warnings"]).toBeUndefined();
  });

  it("are not missed where the model had none, nor in turns that are over", async () => {
    const { upstream, ask } = await start();
    upstream.play(json(claudeAnswer([toolUse])));
    await ask("custom/mess/claude-opus-4-6", [question]);
    const model = "custom/mess/claude-opus-4-6";
    const current = await ask(model, plainHistory(), { reasoning_effort: "high" });
    expect(current.headers["x-svc-warnings"]).toBeUndefined();
    const over = [...plainHistory("{}", "call_old"), { role: "user", content: "Thanks." }];
    const later = await ask(model, over, { reasoning_effort: "high" });
    expect(later.headers["x-svc-warnings"]).toBeUndefined();
  });

  it("what the client sends back itself wins, also when it was tampered with", async () => {
    const [asked, said, result] = plainHistory();
    const details = [{ type: "thinking", text: thought, signature: "cw1.forged.AAAA" }];
    const { body, reply } = await goOn(await start(), [
      asked,
      { ...said, reasoning_details: details },
      result,
    ]);
    expect(body).not.toContain(signed);
    expect(reply.headers["x-svc-warnings"]).toContain("reason=foreign");
  });
});

async function goOnLater({ upstream, ask, sent }: Started) {
  const more = { reasoning_effort: "high" };
  const reply = await ask(models.messages, plainHistory(), more);
  return { reply, body: JSON.stringify(await sent(upstream.requests.length - 1)) };
}
