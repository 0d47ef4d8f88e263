import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLoopbackUpstream, type LoopbackUpstream } from "../../support/loopback-upstream.ts";
import { selectRows } from "../../support/select-rows.ts";
import {
  startTestInstance,
  type TestInstance,
  type TestUser,
} from "../../support/test-instance.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;

beforeAll(async () => {
  upstream = await startLoopbackUpstream([
    { id: "listed-1", context_length: 4096, name: "Listed One", created: 1_700_000_000 },
    "listed-2",
  ]);
  const common = { base_url: upstream.baseUrl, dialects: ["dialect_chat"], auth: "bearer" };
  causeway = await startTestInstance({
    file: {
      vendors: {
        acme: { label: "Acme", ...common, models: ["acme-large"] },
        bolt: { label: "Bolt", ...common },
      },
      credits: {
        keys: { acme: "operator" },
        catalog: [
          {
            id: "sold",
            vendor: "acme",
            model: "acme-large",
            tier: "standard",
            input_usd_per_mtok: 1,
            output_usd_per_mtok: 2,
            context_window: 128_000,
          },
        ],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

async function owner(): Promise<TestUser> {
  const user = await causeway.createUser();
  const { session: token } = user;
  for (const vendor of ["bolt", "acme"]) {
    const body = { api_key: "k" };
    await causeway.call("PUT", `/v1/vendors/${vendor}/credential`, { token, body });
  }
  const body = { label: "Box", base_url: upstream.baseUrl, api_key: "k" };
  expect((await causeway.call("POST", "/v1/upstreams", { token, body })).status).toBe(201);
  return user;
}

describe("GET /v1/models", () => {
  it("[service.tokens-and-models] [identity.model-created] [model.required] [model.optional] [models.order] [models.custom-ids] lists agents, linked vendors in link order, custom endpoints, the catalogue", async () => {
    const user = await owner();
    const { secret: token } = await user.createKey();
    const { status, body } = await causeway.call("GET", "/v1/models", { token });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: "list",
      has_more: false,
      first_id: "agent",
      last_id: "sold",
    });
    expect(body.data.map(({ id, lane }: Record<string, string>) => `${lane} ${id}`)).toEqual([
      "agent agent",
      "agent agent-omni",
      "agent agent-fast",
      "byo bolt/listed-1",
      "byo bolt/listed-2",
      "byo acme/acme-large",
      "byo listed-1",
      "byo listed-2",
      "byo acme-large",
      "custom custom/box/listed-1",
      "custom custom/box/listed-2",
      "credits sold",
    ]);
    expect(body.data[3]).toEqual({
      id: "bolt/listed-1",
      object: "model",
      type: "model",
      display_name: "Listed One",
      created: 1_700_000_000,
      created_at: "2023-11-14T22:13:20.000Z",
      owned_by: "bolt",
      lane: "byo",
      available: true,
      context_window: 4096,
      context_length: 4096,
    });
    expect(body.data[6]).toEqual({ ...body.data[3], id: "listed-1" });
    expect(body.data[9]).toMatchObject({ owned_by: "box", context_window: 4096, available: true });
    expect(body.data[11]).toMatchObject({
      owned_by: "acme",
      tier: "standard",
      context_window: 128_000,
    });
  });

  it("[model.lane] says of each model what a call with this key would get", async () => {
    const user = await owner();
    const { secret: token } = await user.createKey({
      allowed_models: ["bolt/*", "custom/*/listed-2"],
    });
    const { body } = await causeway.call("GET", "/v1/models", { token });
    const models: { id: string; available: boolean; reason?: string; lane: string }[] = body.data;
    const byo = models.filter(({ lane }) => lane === "byo" || lane === "custom");
    expect(byo.map(({ id, available, reason }) => [id, available, reason])).toEqual([
      ["bolt/listed-1", true, undefined],
      ["bolt/listed-2", true, undefined],
      ["acme/acme-large", false, "model_not_allowed"],
      ["listed-1", true, undefined],
      ["listed-2", true, undefined],
      ["custom/box/listed-1", false, "model_not_allowed"],
      ["custom/box/listed-2", true, undefined],
    ]);
    for (const { id, available, reason } of byo) {
      const call = { token, body: { model: id, messages: [] } };
      const answer = await causeway.call("POST", "/v1/chat/completions", call);
      expect([answer.status === 200, answer.body.error?.code]).toEqual([available, reason]);
    }
  });

  it("says of every model that a key without the scope for model calls may call none", async () => {
    const user = await owner();
    const { secret: token } = await user.createKey({ scopes: ["endpoints:read"] });
    const { body } = await causeway.call("GET", "/v1/models", { token });
    const reasons = body.data.map(({ reason }: { reason?: string }) => reason);
    expect(body.data).toHaveLength(9);
    expect(new Set(reasons)).toEqual(new Set(["insufficient_scope"]));
    for (const model of ["agent", "bolt/listed-1", "custom/box/listed-1", "sold"]) {
      const call = { token, body: { model, messages: [] } };
      const answer = await causeway.call("POST", "/v1/chat/completions", call);
      expect([answer.status, answer.body.error.code]).toEqual([403, "insufficient_scope"]);
    }
  });

  it("[model.lane] says of what is sold that the wallet or the key's budget is spent, over REST and Connect", async () => {
    const user = await causeway.createUser();
    const credit = (amount: number) =>
      causeway.call("POST", `/v1/admin/users/${user.id}/credits`, {
        token: causeway.adminToken,
        body: { amount_usd: amount },
      });
    const sold = async (token: string) => {
      const rest = await causeway.call("GET", "/v1/models", { token });
      const path = "/causeway.model.v1.ModelService/ListModels";
      const rpc = await causeway.call("POST", path, { token, body: {} });
      const call = { token, body: { model: "sold", messages: [], max_tokens: 1 } };
      const answer = await causeway.call("POST", "/v1/chat/completions", call);
      return [rest, rpc]
        .map(({ body }) => body.data.find(({ id }: { id: string }) => id === "sold"))
        .map(({ available = false, reason }) => [available, reason, answer.body.error?.code]);
    };
    const { secret: token } = await user.createKey();
    const spent = [false, "byo_url", "byo_url"];
    expect(await sold(token)).toEqual([spent, spent]);
    expect((await credit(1)).status).toBe(200);
    const open = [true, undefined, undefined];
    expect(await sold(token)).toEqual([open, open]);
    const budget = { limit_usd: 0.000001, window: "total" };
    const { id: keyId, secret: tight } = await user.createKey({ budget });
    await selectRows(
      causeway.connectionString,
      "insert into key_spendings values ($1, 'total', 1000, 0)",
      keyId,
    );
    expect(await sold(tight)).toEqual([spent, spent]);
  });

  it("[file.discovery] calls a bare id at the first linked vendor that lists it, discovered or configured", async () => {
    const user = await owner();
    const { secret: token } = await user.createKey();
    for (const model of ["listed-2", "acme-large"]) {
      const answer = await causeway.call("POST", "/v1/chat/completions", {
        token,
        body: { model, messages: [] },
      });
      expect(answer.status).toBe(200);
      expect(JSON.parse(upstream.calls.at(-1) ?? "").model).toBe(model);
    }
    expect(
      await causeway.call("POST", "/v1/chat/completions", {
        token,
        body: { model: "unlisted", messages: [] },
      }),
    ).toMatchObject({ status: 403, body: { error: { code: "no_vendor_credential" } } });
  });

  it("[auth.any-key] [refused.session-on-lists] needs a live key and no scope, and is what official clients read", async () => {
    const user = await owner();
    const { secret } = await user.createKey({ scopes: [] });
    const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret });
    const anthropic = new Anthropic({ baseURL: causeway.url, apiKey: secret });
    expect((await openai.models.list()).data[0]?.id).toBe("agent");
    const ids = [];
    for await (const { id } of anthropic.models.list()) ids.push(id);
    expect(ids.at(-1)).toBe("sold");
    expect(await causeway.call("GET", "/v1/models", { token: user.session })).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope" },
    });
    expect(await causeway.call("GET", "/v1/models")).toMatchObject({ status: 401 });
  });
});

describe("[tokens.local] POST /v1/messages/count_tokens", () => {
  const count = async (body: unknown, scopes: readonly string[] = []) => {
    const { secret: token } = await (await causeway.createUser()).createKey({ scopes });
    return causeway.call("POST", "/v1/messages/count_tokens", { token, body });
  };

  it("[tokens.shape] [tokens.body] [tokens.estimate] [tokens.rule] [limit.tokens] divides the code points of all text by four, rounded up", async () => {
    const messages = [
      { role: "user", content: "four" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "🙂🙂", signature: "not counted" },
          { type: "text", text: "ab" },
          { type: "tool_use", id: "not", name: "counted", input: { not: "counted" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "x", content: "cd" },
          { type: "tool_result", tool_use_id: "y", content: [{ type: "text", text: "e" }] },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ],
      },
    ];
    // 4 + 2 + 2 + 2 + 1 = 11 code points.
    expect(await count({ model: "any", messages, system: "not counted", future: 1 })).toMatchObject(
      {
        status: 200,
        body: { input_tokens: 3 },
      },
    );
    expect((await count({ model: "any", messages: [] })).body).toEqual({ input_tokens: 0 });
  });

  it.each([
    [{ messages: [] }, "model"],
    [{ model: "m" }, "messages"],
    [{ model: "m", messages: "hi" }, "messages"],
  ])(
    "[error-body.tokens] [tokens.errors] [tokens.params] refuses the body %j in the form of messages and names %s",
    async (body, param) => {
      expect(await count(body)).toMatchObject({
        status: 400,
        body: {
          type: "error",
          error: {
            type: "invalid_request_error",
            details: { error_code: "invalid_request", param },
          },
        },
      });
    },
  );

  it("is what the official client calls", async () => {
    const { secret } = await (await causeway.createUser()).createKey();
    const anthropic = new Anthropic({ baseURL: causeway.url, apiKey: secret });
    const messages = [{ role: "user" as const, content: "Hello, world" }];
    expect(await anthropic.messages.countTokens({ model: "m", messages })).toEqual({
      input_tokens: 3,
    });
  });
});
