import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { json, openFakeUpstream, stream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";

type Input = OpenAI.Responses.ResponseInput;

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };

const path = "/v1/responses/compact";
const price = { input_usd_per_mtok: 1000, output_usd_per_mtok: 2000 };

beforeAll(async () => {
  upstream = await openFakeUpstream();
  const vendor = { label: "V", base_url: `${upstream.origin}/v1`, auth: "bearer", models: ["m"] };
  causeway = await startTestInstance({
    file: {
      vendors: {
        code: { ...vendor, dialects: ["dialect_responses"] },
        chat: { ...vendor, dialects: ["dialect_chat"] },
      },
      credits: {
        keys: { code: "operator", chat: "operator" },
        catalog: [
          { id: "sold", vendor: "code", model: "n", ...price },
          { id: "sold-chat", vendor: "chat", model: "n", ...price },
        ],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.play(json({ error: { message: "unforeseen" } }, 500));
});

async function caller(fields: Record<string, unknown> = {}, dollars = 0) {
  const user = await causeway.createUser();
  for (const vendor of ["code", "chat"]) {
    const credential = { token: user.session, body: { api_key: "mine" } };
    await causeway.call("PUT", `/v1/vendors/${vendor}/credential`, credential);
  }
  if (dollars > 0) {
    const grant = { token: causeway.adminToken, body: { amount_usd: dollars } };
    await causeway.call("POST", `/v1/admin/users/${user.id}/credits`, grant);
  }
  const { secret } = await user.createKey(fields);
  upstream.requests.length = 0;
  const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret, maxRetries: 0 });
  return { openai, secret, user };
}

/** An answer of a chat upstream. */
function said(content: string) {
  return json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 },
  });
}

/** An answer of an upstream that speaks responses. */
function answered(text: string) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return json({
    id: "resp_vendor",
    object: "response",
    created_at: 1,
    model: "n",
    status: "completed",
    output: [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }],
    usage: { input_tokens: 30, output_tokens: 20, total_tokens: 50 },
  });
}

function sent(index = upstream.requests.length - 1): Record<string, unknown> {
  return JSON.parse(upstream.requests[index]?.body.toString() ?? "null");
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

const question = { role: "user", content: "And now?" } as const;
const trigger = { type: "compaction_trigger" } as const;

/** The one item of a compaction over the chat vendor. */
async function compacted(openai: OpenAI, summary = "The word is plum."): Promise<Input> {
  upstream.playOnce(said(summary));
  const { output } = await openai.responses.compact({ model: "chat/m", input: "The word is plum" });
  return output as Input;
}

describe("POST /v1/responses/compact", () => {
  it("is passed through to a vendor that compacts, byte for byte but for the model", async () => {
    const { secret: token } = await caller();
    const answer = {
      id: "resp_theirs",
      object: "response.compaction",
      created_at: 1,
      output: [{ type: "compaction", id: "cmp_theirs", encrypted_content: "theirs" }],
      usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
    };
    upstream.play(json(answer));
    const input = [{ type: "compaction", encrypted_content: "older" }, question];
    const reply = await causeway.call("POST", path, { token, body: { model: "code/m", input } });
    expect(reply).toMatchObject({ status: 200, body: answer });
    expect(reply.headers.get("x-svc-route-used")).toBe("byo");
    const [request] = upstream.requests;
    expect([request?.method, request?.path]).toEqual(["POST", path]);
    expect(request?.headers.authorization).toBe("Bearer mine");
    expect(request?.body.toString()).toBe(textOf({ model: "m", input }));
    const id = reply.headers.get("x-svc-call");
    await waitUntil(async () => {
      const { body } = await causeway.call("GET", "/v1/calls", { token });
      const kept = body.data.find((call: { id: string }) => call.id === id);
      return kept?.operation === "compactResponse" && kept.output_tokens === 3;
    });
    upstream.play(json({ error: { message: "Too odd", param: "input" } }, 400));
    expect(
      await causeway.call("POST", path, { token, body: { model: "code/m", input } }),
    ).toMatchObject({ status: 400, body: { error: { message: "Too odd" } } });
    expect(upstream.requests).toHaveLength(2);
  });

  it.each([404, 405])("is the named model's summary where a vendor answers %d", async (status) => {
    const { openai } = await caller();
    upstream.playOnce(json({ error: { message: "no such path" } }, status), answered("Plum."));
    const { output } = await openai.responses.compact({ model: "code/m", input: "A plum" });
    expect(output.map(({ type }) => type)).toEqual(["compaction"]);
    expect(upstream.requests.map((request) => request.path)).toEqual([path, "/v1/responses"]);
    expect(sent()).toMatchObject({ model: "m", store: false });
    expect(textOf(sent())).toContain("A plum");
  });

  it("goes on from what a vendor keeps only at that vendor", async () => {
    const { secret: token } = await caller();
    upstream.playOnce(json({ error: { message: "no such path" } }, 404));
    const body = { model: "code/m", previous_response_id: "resp_theirs" };
    const reply = await causeway.call("POST", path, { token, body });
    expect(reply).toMatchObject({
      status: 400,
      body: { error: { param: "previous_response_id" } },
    });
  });

  it("compacts what is kept of a conversation, and keeps nothing itself", async () => {
    const { openai } = await caller();
    upstream.playOnce(said("Plum it is."), said("A summary."));
    const first = await openai.responses.create({ model: "chat/m", input: "The word is plum" });
    const whole = await openai.responses.compact({
      model: "chat/m",
      previous_response_id: first.id,
    });
    expect(textOf(sent())).toContain("The word is plum");
    expect(textOf(sent())).toContain("Plum it is.");
    upstream.play(json({ error: { message: "none" } }, 404));
    await expect(openai.responses.retrieve(whole.id)).rejects.toMatchObject({ status: 404 });
  });

  it("is one JSON object whatever the body says of streams", async () => {
    const { secret: token } = await caller();
    upstream.playOnce(said("Plum."));
    const body = { model: "chat/m", input: "A plum", stream: true };
    const reply = await causeway.call("POST", path, { token, body });
    expect(reply).toMatchObject({ status: 200, body: { object: "response.compaction" } });
  });

  it("costs on credits what the summary costs, and leaves nothing with the vendor", async () => {
    const { openai, user, secret } = await caller({ route: "credits" }, 50);
    upstream.playOnce(answered("Plum."));
    const { output } = await openai.responses.compact({ model: "sold", input: "A plum" });
    expect(textOf(output)).toContain("causeway-compaction.");
    expect(upstream.requests.map((request) => request.path)).toEqual(["/v1/responses"]);
    expect(upstream.requests[0]?.headers.authorization).toBe("Bearer operator");
    expect(sent()).toMatchObject({ model: "n", store: false });
    const wallet = async () =>
      (await causeway.call("GET", "/v1/wallet", { token: user.session })).body;
    await waitUntil(async () => (await wallet()).held_usd === 0);
    // 30 and 20 tokens at 1000 and 2000 dollars a million.
    expect((await wallet()).balance_usd).toBeCloseTo(50 - 0.07);
    upstream.playOnce(answered("Still."));
    const input = [...(output as Input), question];
    await openai.responses.create({ model: "sold", input });
    expect(textOf(sent())).toContain("Plum.");
    expect(textOf(sent())).not.toContain("causeway-compaction.");
    const { body } = await causeway.call("GET", "/v1/calls", { token: secret });
    expect(body.data.map((call: { operation: string }) => call.operation)).toContain(
      "compactResponse",
    );
  });

  it("is 402 for a wallet that cannot pay, 403 for a model that the key may not use, and nobody is asked", async () => {
    const poor = await caller({ route: "credits" });
    const body = { model: "sold-chat", input: "A plum" };
    expect(await causeway.call("POST", path, { token: poor.secret, body })).toMatchObject({
      status: 402,
    });
    const other = await caller({ allowed_models: ["code/*"] });
    expect(
      await causeway.call("POST", path, {
        token: other.secret,
        body: { ...body, model: "chat/m" },
      }),
    ).toMatchObject({ status: 403, body: { error: { code: "model_not_allowed" } } });
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    [{ input: "hi" }, "model"],
    [{ model: "chat/m" }, "input"],
    [{ model: "chat/m", input: [] }, "input"],
    [{ model: "chat/m", input: 1 }, "input"],
    [{ model: "chat/m", input: "hi", background: true }, "background"],
    [{ model: "chat/m", input: [{ type: "compaction", encrypted_content: "x" }] }, "input[0]"],
    [{ model: "chat/m", previous_response_id: "resp_none" }, "previous_response_id"],
  ])("refuses the body %j and names the field %s", async (body, param) => {
    const { secret: token } = await caller();
    expect(await causeway.call("POST", path, { token, body })).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error", param } },
    });
    expect(upstream.requests).toEqual([]);
  });
});

describe("a compaction that was made here", () => {
  it("[lasting.compaction] opens for its account alone, whoever is to be called", async () => {
    const one = await caller();
    const other = await caller({}, 50);
    const input = [question, ...(await compacted(one.openai))];
    const dialled = upstream.requests.length;
    for (const model of ["chat/m", "code/m", "sold"]) {
      for (const route of ["/v1/responses", path, "/v1/responses/input_tokens"]) {
        const reply = await causeway.call("POST", route, {
          token: other.secret,
          body: { model, input },
        });
        expect(reply).toMatchObject({ status: 400, body: { error: { param: "input[1]" } } });
      }
    }
    expect(upstream.requests).toHaveLength(dialled);
  });

  it("[lasting.compaction] is replaced on pass-through too, and all else stays as it was sent", async () => {
    const { openai, secret: token } = await caller();
    const [item] = await compacted(openai);
    upstream.playOnce(answered("Plum."));
    const before = '{ "model":"code/m","odd" : 1.50, "input":[';
    const behind = ',{"role":"user","content":"And now?","n":12345678901234567890}] }';
    const reply = await fetch(`${causeway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: before + textOf(item) + behind,
    });
    expect(reply.status).toBe(200);
    await reply.text();
    const text = upstream.requests.at(-1)?.body.toString() ?? "";
    expect(text.startsWith('{ "model":"m","odd" : 1.50, "input":[')).toBe(true);
    expect(text.endsWith(behind)).toBe(true);
    expect(sent()["input"]).toMatchObject([
      { type: "message", role: "user", content: [{ text: expect.stringContaining("is plum.") }] },
      { role: "user", content: "And now?" },
    ]);
  });

  it("is spoken of without being one", async () => {
    const { secret: token } = await caller();
    upstream.playOnce(answered("Yes."));
    const body = { model: "code/m", input: "What does causeway-compaction. mean?" };
    expect(await causeway.call("POST", "/v1/responses", { token, body })).toMatchObject({
      status: 200,
    });
    expect(sent()).toEqual({ ...body, model: "m" });
  });

  it("is previewed as it is sent", async () => {
    const { openai, secret: token } = await caller();
    const input = await compacted(openai);
    const body = { from: "responses", to: "dialect_messages", body: { model: "chat/m", input } };
    const preview = await causeway.call("POST", "/v1/transcode/preview", { token, body });
    expect(textOf(preview.body.body)).toContain("The word is plum.");
    const other = await caller();
    expect(
      await causeway.call("POST", "/v1/transcode/preview", { token: other.secret, body }),
    ).toMatchObject({ status: 400, body: { param: "input[0]" } });
  });

  it("is counted as the text that it stands for", async () => {
    const { openai } = await caller();
    const input = await compacted(openai, "x".repeat(4000));
    const count = await openai.responses.inputTokens.count({ model: "chat/m", input });
    expect(count.input_tokens).toBeGreaterThan(1000);
    expect(count.input_tokens).toBeLessThan(1100);
  });
});

describe("a compaction that a trigger led to", () => {
  it("stands for what was kept before it, by the response's id and by its own", async () => {
    const { openai } = await caller();
    upstream.playOnce(said("The word is plum."));
    const first = await openai.responses.create({
      model: "chat/m",
      input: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "Old words" },
        trigger,
      ],
    });
    expect(first.output.map(({ type }) => type)).toEqual(["compaction"]);
    const goOn = { model: "chat/m", input: [question], previous_response_id: first.id };
    upstream.playOnce(said("Plum."));
    await openai.responses.create(goOn);
    expect(textOf(sent())).toContain("The word is plum.");
    expect(textOf(sent())).toContain("Be brief.");
    expect(textOf(sent())).not.toMatch(/Old words|causeway-compaction/);
    upstream.playOnce(said("Plum."));
    const reference = { type: "item_reference", id: first.output[0]?.id ?? "" } as const;
    await openai.responses.create({ model: "chat/m", input: [reference, question] });
    expect(textOf(sent())).toContain("The word is plum.");
    const retrieved = await openai.responses.retrieve(first.id);
    expect(retrieved.output).toEqual(first.output);
  });

  it("is made in the background as well", async () => {
    const { openai } = await caller();
    const frame = (delta: object, finish_reason: string | null) =>
      `data: ${textOf({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    upstream.playOnce(
      stream(
        [frame({ content: "The word is plum." }, null), frame({}, "stop"), "data: [DONE]\n\n"],
        {
          ending: "end",
        },
      ),
    );
    const input = [{ role: "user", content: "Old words" }, trigger] as Input;
    const queued = await openai.responses.create({ model: "chat/m", input, background: true });
    let response = queued;
    await waitUntil(async () => {
      response = await openai.responses.retrieve(queued.id);
      return response.status === "completed";
    });
    expect(response.output.map(({ type }) => type)).toEqual(["compaction"]);
    upstream.playOnce(said("Plum."));
    await openai.responses.create({
      model: "chat/m",
      input: [...(response.output as Input), question],
    });
    expect(textOf(sent())).toContain("The word is plum.");
  });

  it("is the vendor's own where it compacts", async () => {
    const { openai } = await caller();
    upstream.playOnce(answered("Theirs."));
    const input = [question, trigger] as Input;
    await openai.responses.create({ model: "code/m", input });
    expect(sent()).toEqual({ model: "m", input });
  });

  it("costs on credits both the summary and what is answered behind it", async () => {
    const { openai, user } = await caller({ route: "credits" }, 50);
    upstream.playOnce(answered("Plum."), answered("Still plum."));
    const input = [{ role: "user", content: "Old words" }, trigger, question] as Input;
    const { output, usage } = await openai.responses.create({ model: "sold", input });
    expect(output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    expect(usage).toMatchObject({ input_tokens: 60, output_tokens: 40 });
    expect([sent(0)["store"], sent(1)["store"]]).toEqual([false, false]);
    const wallet = async () =>
      (await causeway.call("GET", "/v1/wallet", { token: user.session })).body;
    await waitUntil(async () => (await wallet()).held_usd === 0);
    expect((await wallet()).balance_usd).toBeCloseTo(50 - 0.14);
  });
});
