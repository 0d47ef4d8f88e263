import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { json, stream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { startCreditsInstance, type CreditsInstance } from "../credits/credits-instance.ts";
import { responseFixtures } from "../transcode/response-fixtures.ts";
import {
  dials,
  eventsOf,
  model as ownModel,
  responseIdIn,
  startCaller,
  waitUntilEnded,
} from "./background-caller.ts";

let sold: CreditsInstance;

beforeAll(async () => {
  sold = await startCreditsInstance();
});

afterAll(() => sold.close());

interface Lane {
  readonly openai: OpenAI;
  readonly secret: string;
  readonly upstream: FakeUpstream;
  readonly model: string;
}

type Dialect = keyof typeof responseFixtures;

const lanes: readonly [name: string, dialect: Dialect, soldModel: string | undefined][] = [
  ["an endpoint that speaks chat", "chat", undefined],
  ["an endpoint that speaks messages", "messages", undefined],
  ["credits, a vendor that speaks responses", "responses", "thinker"],
  ["credits, a vendor that speaks chat", "chat", "talker"],
  ["credits, a vendor that speaks messages", "messages", "blocker"],
];

async function openLane(dialect: Dialect, soldModel: string | undefined): Promise<Lane> {
  if (soldModel === undefined) {
    const caller = await startCaller(sold.causeway, `dialect_${dialect}`);
    caller.upstream.play(stream(responseFixtures[dialect].frames));
    return { ...caller, model: ownModel };
  }
  sold.upstream.play(stream(responseFixtures[dialect].frames));
  return { ...(await sold.buyer()), upstream: sold.upstream, model: soldModel };
}

const input = "Write a very long novel about otters in space.";
const said = { type: "message", content: [{ type: "output_text", text: "Hé! 🙂" }] };
const called = { type: "function_call", call_id: "call_up", arguments: '{"city":"Zürich"}' };

describe.each(lanes)("in the background over %s", (_name, dialect, soldModel) => {
  it("[background.queued] [background.credits] the client's example polls until the answer is there", async () => {
    const { openai, model, upstream } = await openLane(dialect, soldModel);
    const before = dials(upstream).length;
    const queued = await openai.responses.create({ model, input, background: true });
    expect(queued).toMatchObject({ status: "queued", model, background: true, store: true });
    const response = await waitUntilEnded(openai, queued.id);
    expect(response).toMatchObject({
      id: queued.id,
      status: "completed",
      background: true,
      store: true,
      created_at: queued.created_at,
      output: [said, called],
      usage: { input_tokens: 12, output_tokens: 7, total_tokens: 19 },
    });
    expect(dials(upstream)).toHaveLength(before + 1);
    const sent = JSON.parse(dials(upstream).at(-1)?.body.toString() ?? "") as object;
    expect(sent).toMatchObject({ stream: true });
    expect(sent).not.toHaveProperty("background", true);
    if (soldModel === "thinker") expect(sent).toMatchObject({ store: false });
  });

  it("[background.streamed] the client's example streams, loses the stream, and resumes behind its cursor", async () => {
    const { openai, model, secret } = await openLane(dialect, soldModel);
    const live = await openai.responses.create({ model, input, background: true, stream: true });
    let cursor = -1;
    let id = "";
    for await (const event of live) {
      if (event.type === "response.created") id = event.response.id;
      cursor = event.sequence_number;
      if (event.type === "response.in_progress") break;
    }
    const resumed = await openai.responses.retrieve(id, { stream: true, starting_after: cursor });
    const events = await eventsOf(resumed);
    expect(events.map((event) => event.sequence_number)).toEqual(
      events.map((_, at) => cursor + 1 + at),
    );
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { id, status: "completed", output: [said, called] },
    });
    const path = `/v1/responses/${id}?stream=true`;
    const text = await sold.causeway.call("GET", path, { token: secret });
    expect(checkResponsesStream(parseEventStreamText(text.body))).toEqual([]);
    expect(
      responseIdIn(await eventsOf(await openai.responses.retrieve(id, { stream: true }))),
    ).toBe(id);
  });
});

describe("an answer in the background on credits", () => {
  it("[background.credits] is charged once, and its call kept once, with its turn and its tags", async () => {
    const { secret } = await sold.buyer();
    sold.upstream.play(stream(responseFixtures.chat.frames));
    const asked = await sold.causeway.call("POST", "/v1/responses", {
      token: secret,
      body: { model: "talker", input, background: true },
      headers: { "x-svc-tags": "project=alpha" },
    });
    const callId = asked.headers.get("x-svc-call");
    expect(asked.headers.get("x-svc-route-used")).toBe("credits");
    await waitUntil(async () => {
      const { body } = await sold.causeway.call("GET", `/v1/responses/${asked.body.id}`, {
        token: secret,
      });
      return body.status === "completed";
    });
    const { body: wallet } = await sold.causeway.call("GET", "/v1/wallet", { token: secret });
    // 12 tokens in at a dollar a million, 7 out at two.
    expect(wallet).toMatchObject({ held_usd: 0, balance_usd: 1 - 0.000026 });
    const { body: calls } = await sold.causeway.call("GET", "/v1/calls", { token: secret });
    expect(calls.data).toMatchObject([
      {
        id: callId,
        turn: asked.body.id,
        operation: "createResponse",
        route: "credits",
        status: 200,
        repeated: false,
        tags: { project: "alpha" },
        input_tokens: 12,
        output_tokens: 7,
      },
    ]);
    const { body: usage } = await sold.causeway.call("GET", "/v1/usage", { token: secret });
    expect(usage.data).toMatchObject([{ input_tokens: 12, output_tokens: 7, repeated: 0 }]);
  });

  it.each([
    ["conversation", { conversation: "conv_1" }],
    ["prompt", { prompt: { id: "pmpt_1" } }],
  ])(
    "[background.credits] refuses a %s of the vendor before anything is stored",
    async (param, more) => {
      const { secret } = await sold.buyer();
      const body = { model: "thinker", input, background: true, ...more };
      const answer = await sold.causeway.call("POST", "/v1/responses", { token: secret, body });
      expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
    },
  );
});

describe("an answer in the background of an own upstream that speaks responses", () => {
  it("[background.own-vendor] is asked for unchanged, and kept there", async () => {
    const { secret, upstream } = await startCaller(sold.causeway, "dialect_responses");
    const theirs = { id: "resp_theirs", object: "response", status: "queued", output: [] };
    upstream.play(json(theirs));
    const body = { model: "custom/box/m", input, background: true, store: true };
    const answer = await sold.causeway.call("POST", "/v1/responses", { token: secret, body });
    expect(answer).toMatchObject({ status: 200, body: theirs });
    expect(JSON.parse(dials(upstream).at(-1)?.body.toString() ?? "")).toEqual({
      ...body,
      model: "m",
    });
    const polled = await sold.causeway.call("GET", "/v1/responses/resp_theirs", { token: secret });
    expect(polled).toMatchObject({ status: 200, body: theirs });
    const cancel = "/v1/responses/resp_theirs/cancel";
    upstream.play(json({ ...theirs, status: "cancelled" }));
    const cancelled = await sold.causeway.call("POST", cancel, { token: secret });
    expect(cancelled.body).toMatchObject({ status: "cancelled" });
    expect(upstream.requests.at(-1)?.path).toBe(cancel);
  });
});
