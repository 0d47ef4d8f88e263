import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { json, openFakeUpstream, reset, type FakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { responseFixtures } from "../transcode/response-fixtures.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };

const path = "/v1/responses/input_tokens";
const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };

beforeAll(async () => {
  upstream = await openFakeUpstream();
  const vendor = { label: "V", base_url: `${upstream.origin}/v1`, auth: "bearer", models: ["m"] };
  causeway = await startTestInstance({
    file: {
      limits: { max_body_mib: 1 },
      vendors: {
        code: { ...vendor, dialects: ["dialect_responses"] },
        chat: { ...vendor, dialects: ["dialect_chat"] },
      },
      credits: {
        keys: { code: "operator" },
        catalog: [{ id: "sold", vendor: "code", model: "n", ...price }],
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

async function caller(fields: Record<string, unknown> = {}) {
  const user = await causeway.createUser();
  for (const vendor of ["code", "chat"]) {
    const credential = { token: user.session, body: { api_key: "mine" } };
    await causeway.call("PUT", `/v1/vendors/${vendor}/credential`, credential);
  }
  const { secret } = await user.createKey(fields);
  upstream.requests.length = 0;
  const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret, maxRetries: 0 });
  return { openai, secret };
}

function estimate(tokens: number) {
  return { object: "response.input_tokens", input_tokens: tokens };
}

describe("POST /v1/responses/input_tokens", () => {
  it("is passed through to a vendor that speaks responses", async () => {
    const { openai, secret: token } = await caller();
    upstream.play(json(estimate(7)));
    expect(await openai.responses.inputTokens.count({ model: "code/m", input: "hi" })).toEqual(
      estimate(7),
    );
    const [sent] = upstream.requests;
    expect([sent?.method, sent?.path]).toEqual(["POST", path]);
    expect(sent?.headers.authorization).toBe("Bearer mine");
    expect(sent?.body.toString()).toBe('{"model":"m","input":"hi"}');
    upstream.play(json({ error: { message: "Too odd", param: "tools" } }, 400));
    const refused = await causeway.call("POST", path, { token, body: { model: "code/m" } });
    expect(refused).toMatchObject({ status: 400, body: { error: { message: "Too odd" } } });
    upstream.play(reset);
    expect(await causeway.call("POST", path, { token, body: { model: "code/m" } })).toMatchObject({
      status: 502,
      body: { error: { code: "upstream_unreachable" } },
    });
  });

  it.each(["chat/m", "code-less", "sold", "custom/none/m", "agent"])(
    "is the estimate for %s, and nobody is called",
    async (model) => {
      const { openai } = await caller();
      const input = "Hello, world";
      expect(await openai.responses.inputTokens.count({ model, input })).toEqual(estimate(3));
      expect(upstream.requests).toEqual([]);
    },
  );

  it("is the estimate where the key pays from credits, and where the vendor does not count", async () => {
    const body = { model: "code/m", input: "Hello, world" };
    const paying = await caller({ route: "credits" });
    expect(await paying.openai.responses.inputTokens.count(body)).toEqual(estimate(3));
    expect(upstream.requests).toEqual([]);
    const { openai } = await caller();
    upstream.play(json({ error: { message: "no such path" } }, 404));
    expect(await openai.responses.inputTokens.count(body)).toEqual(estimate(3));
  });

  it("counts the text of instructions and items, not names, arguments or pictures", async () => {
    const { openai } = await caller();
    const count = await openai.responses.inputTokens.count({
      model: "chat/m",
      instructions: "four",
      input: [
        { role: "user", content: "🙂🙂ab" },
        {
          role: "user",
          content: [
            { type: "input_text", text: "abcd" },
            { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
          ],
        },
        { type: "function_call", call_id: "c", name: "not", arguments: '{"not":"counted"}' },
        { type: "function_call_output", call_id: "c", output: "efghi" },
      ],
    });
    // 4 + 4 + 4 + 5 = 17 code points.
    expect(count).toEqual(estimate(5));
  });

  it("counts what is kept of the conversation that it goes on from", async () => {
    const { openai } = await caller();
    upstream.play(json(responseFixtures.chat.whole));
    const first = await openai.responses.create({ model: "chat/m", input: "abcd".repeat(10) });
    const said = first.output_text.length;
    const goOn = { model: "chat/m", input: "abcd", previous_response_id: first.id };
    const { input_tokens: tokens } = await openai.responses.inputTokens.count(goOn);
    expect(tokens).toBeGreaterThanOrEqual(Math.ceil((44 + said) / 4));
    await expect(
      openai.responses.inputTokens.count({ ...goOn, previous_response_id: "resp_none" }),
    ).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  });

  it.each([
    [{ input: "hi" }, "model"],
    [{ model: "", input: "hi" }, "model"],
    [{ model: "chat/m", input: 1 }, "input"],
  ])("refuses the body %j in the form of responses", async (body, param) => {
    const { secret: token } = await caller();
    expect(await causeway.call("POST", path, { token, body })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", param } },
    });
  });

  it("refuses who may make no calls, and what is too large", async () => {
    const body = { model: "chat/m", input: "x".repeat(1024 * 1024) };
    expect(await causeway.call("POST", path, { body })).toMatchObject({ status: 401 });
    const { secret: token } = await caller({ scopes: ["teams:read"] });
    expect(await causeway.call("POST", path, { token, body })).toMatchObject({
      status: 403,
      body: { error: { code: "insufficient_scope" } },
    });
    const { secret } = await caller();
    expect(await causeway.call("POST", path, { token: secret, body })).toMatchObject({
      status: 413,
      body: { error: { code: "request_too_large" } },
    });
  });
});
