import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { strictResponses } from "../../support/strict-responses.ts";
import { execute } from "../../support/test-database.ts";
import {
  startTestInstance,
  type TestInstance,
  type TestUser,
} from "../../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

interface Setup {
  readonly user: TestUser;
  readonly openai: OpenAI;
  readonly upstream: FakeUpstream;
  readonly secret: string;
  /** Body of the nth call that reached the upstream. */
  readonly sent: (index: number) => Promise<{ messages: Record<string, unknown>[] }>;
}

const answer = (content: string) =>
  json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  });

const model = "custom/box/m";

async function start(): Promise<Setup> {
  const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
  const user = await causeway.createUser();
  const body = {
    label: "Box",
    base_url: `${upstream.origin}/v1`,
    api_key: "k",
    dialect: "dialect_chat",
  };
  const made = await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  expect(made.status).toBe(201);
  const { secret } = await user.createKey();
  const probes = upstream.requests.length;
  const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret, maxRetries: 0 });
  return {
    user,
    openai,
    upstream,
    secret,
    async sent(index) {
      const request = await upstream.request(probes + index);
      return JSON.parse(request.body.toString());
    },
  };
}

describe("kept responses", () => {
  it("[responses.kept-days] [request.previous] are gone on from, with nothing but the new input", async () => {
    const { openai, upstream, sent } = await start();
    upstream.playOnce(answer("I am Bo."), answer("Bo, as I said."), answer("Still Bo."));
    const first = await openai.responses.create({ model, input: "Who are you?" });
    expect(first).toMatchObject({ store: true, output_text: "I am Bo." });
    const second = await openai.responses.create({
      model,
      input: "Once more?",
      previous_response_id: first.id,
      instructions: "Be short.",
    });
    expect(second.previous_response_id).toBe(first.id);
    const { messages } = await sent(1);
    expect(messages).toEqual([
      { role: "system", content: "Be short." },
      { role: "user", content: "Who are you?" },
      { role: "assistant", content: "I am Bo." },
      { role: "user", content: "Once more?" },
    ]);
    await openai.responses.create({ model, input: "And now?", previous_response_id: second.id });
    expect((await sent(2)).messages.map(({ content }) => content)).toEqual([
      "Who are you?",
      "I am Bo.",
      "Once more?",
      "Bo, as I said.",
      "And now?",
    ]);
  });

  it("are kept before a stream says that it is complete", async () => {
    const { openai, upstream, sent } = await start();
    upstream.play(answer("Streamed."));
    const first = await openai.responses.stream({ model, input: "a" }).finalResponse();
    expect(await openai.responses.retrieve(first.id)).toMatchObject({
      id: first.id,
      status: "completed",
      output: [{ id: first.output[0]?.id, content: [{ text: "Streamed." }] }],
    });
    await openai.responses.create({
      model,
      input: [
        { type: "item_reference", id: first.output[0]?.id ?? "" },
        { role: "user", content: "b" },
      ],
    });
    expect((await sent(1)).messages).toEqual([
      { role: "assistant", content: "Streamed." },
      { role: "user", content: "b" },
    ]);
  });

  it("[answer.open-responses] are kept as they were given, with every field that strict clients demand", async () => {
    const { openai, upstream } = await start();
    upstream.play(answer("Kept."));
    const tools = [{ type: "function" as const, name: "weather", parameters: {}, strict: null }];
    const whole = await openai.responses.create({ model, input: "a", tools });
    const streamed = await openai.responses.stream({ model, input: "a", tools }).finalResponse();
    for (const given of [whole, streamed]) {
      const kept = await openai.responses.retrieve(given.id);
      expect(strictResponses.responses.safeParse(kept).error).toBeUndefined();
      expect([kept.usage, kept.completed_at]).toEqual([given.usage, given.completed_at]);
    }
  });

  it("[responses.kept-days] [responses.unknown] are not kept with store false, and refuse an unknown id with its param", async () => {
    const { openai, upstream, sent } = await start();
    upstream.play(answer("x"));
    const unkept = await openai.responses.create({ model, input: "a", store: false });
    expect(unkept).toMatchObject({ store: false });
    await expect(openai.responses.retrieve(unkept.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      openai.responses.create({ model, input: "b", previous_response_id: unkept.id }),
    ).rejects.toMatchObject({
      status: 400,
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
    await expect(
      openai.responses.create({ model, input: [{ type: "item_reference", id: "msg_none" }] }),
    ).rejects.toMatchObject({ status: 400, param: "input[0]" });
    expect(await sent(0)).not.toHaveProperty("store");
  });

  it("reject more than 4000 items, and name the first that is too many", async () => {
    const { openai } = await start();
    const input = Array.from({ length: 4001 }, (_, at) => ({
      type: "item_reference" as const,
      id: `msg_${at}`,
    }));
    await expect(openai.responses.create({ model, input })).rejects.toMatchObject({
      status: 400,
      param: "input[4000].id",
    });
  });

  it("reject an item that is referred to twice, and name the second place", async () => {
    const { openai, upstream } = await start();
    upstream.play(answer("x"));
    const { output } = await openai.responses.create({ model, input: "a" });
    const reference = { type: "item_reference", id: output[0]?.id ?? "" } as const;
    await expect(
      openai.responses.create({ model, input: [reference, reference] }),
    ).rejects.toMatchObject({ status: 400, param: "input[1].id" });
  });

  it("reject references to more than 32 MiB before they are loaded", async () => {
    const { openai, upstream, user } = await start();
    upstream.play(answer("x"));
    const first = await openai.responses.create({ model, input: "a" });
    const second = await openai.responses.create({ model, input: "b" });
    const input = [first, second].map(
      ({ output }) => ({ type: "item_reference", id: output[0]?.id ?? "" }) as const,
    );
    expect((await openai.responses.create({ model, input })).output_text).toBe("x");
    // Sealed, 32 MiB take 44.7 MB.
    await execute(
      causeway.connectionString,
      `update "kept_responses" set "content" = "content" || repeat('x', 23000000)
       where "account_id" = '${user.id}' and "id" in ('${first.id}', '${second.id}')`,
    );
    await expect(openai.responses.create({ model, input })).rejects.toMatchObject({
      status: 413,
      param: "input",
    });
  });

  it("[responses.kept] can be fetched, cancelled and deleted by their own account only", async () => {
    const { openai, upstream } = await start();
    const other = await start();
    upstream.play(answer("x"));
    const { id } = await openai.responses.create({ model, input: "a" });
    expect((await openai.responses.retrieve(id)).output_text).toBe("x");
    expect(await openai.responses.cancel(id)).toMatchObject({ id, status: "completed" });
    await expect(other.openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(other.openai.responses.delete(id)).rejects.toMatchObject({ status: 404 });
    await openai.responses.delete(id);
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({
      status: 404,
      code: "not_found",
    });
    await expect(openai.responses.delete(id)).rejects.toMatchObject({ status: 404 });
  });

  it("tell what they were asked with, page by page, each item with an id", async () => {
    const { openai, upstream, secret } = await start();
    const other = await start();
    upstream.play(answer("x"));
    const input = [
      ...Array.from({ length: 21 }, (_none, at) => ({ role: "user" as const, content: `u${at}` })),
      { role: "assistant" as const, content: "said" },
      { type: "function_call" as const, id: "fc_1", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output" as const, call_id: "c", output: "sun" },
    ];
    const tool = { type: "function", name: "f", parameters: {}, strict: false } as const;
    const { id } = await openai.responses.create({ model, input, tools: [tool] });
    const listed = [];
    for await (const item of openai.responses.inputItems.list(id)) listed.push(item);
    expect(listed).toHaveLength(24);
    expect(new Set(listed.map((item) => item.id)).size).toBe(24);
    expect(listed[0]).toMatchObject({ type: "function_call_output", output: "sun" });
    expect(listed[1]).toMatchObject({ type: "function_call", id: "fc_1" });
    expect(listed[2]).toMatchObject({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "said" }],
    });
    expect(listed[23]).toMatchObject({
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "u0" }],
    });
    const page = `/v1/responses/${id}/input_items?order=asc&limit=2`;
    expect((await causeway.call("GET", page, { token: secret })).body).toEqual({
      object: "list",
      data: [listed[23], listed[22]],
      first_id: listed[23]?.id,
      last_id: listed[22]?.id,
      has_more: true,
    });
    const last = await openai.responses.inputItems.list(id, {
      order: "asc",
      after: listed[1]?.id ?? "",
    });
    expect(last).toMatchObject({ has_more: false, data: [listed[0]] });
    await expect(other.openai.responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
    for (const [param, value] of Object.entries({ limit: "101", after: "none", order: "up" })) {
      const query = { [param]: value };
      const refused = openai.get(`/responses/${id}/input_items`, { query });
      await expect(refused).rejects.toMatchObject({ status: 400, param });
    }
  });

  it("[error-body.responses] refuse in the responses dialect: no key, a session, a key without the scope", async () => {
    const { user } = await start();
    const path = "/v1/responses/resp_x";
    const keyless = await causeway.call("GET", path);
    expect(keyless).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
    expect(keyless.headers.get("request-id")).toBe(keyless.body.error.request_id);
    expect(await causeway.call("GET", path, { token: user.session })).toMatchObject({
      status: 403,
      body: { error: { code: "insufficient_scope" } },
    });
    const { secret } = await user.createKey({ scopes: ["teams:read"] });
    expect(await causeway.call("DELETE", path, { token: secret })).toMatchObject({
      status: 403,
      body: { error: { code: "insufficient_scope" } },
    });
  });
});
