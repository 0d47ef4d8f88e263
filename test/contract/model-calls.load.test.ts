/**
 * The rules of model calls on a whole instance: who may call what, and where it goes.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../support/test-instance.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;
let user: TestUser;
let key: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["m1"]);
  const common = { label: "V", base_url: upstream.baseUrl, auth: "bearer" };
  causeway = await startTestInstance({
    file: {
      vendors: {
        acme: { ...common, dialects: ["dialect_chat"], models: ["large", "shared"] },
        bolt: { ...common, dialects: ["dialect_messages"], models: ["opus"] },
        code: {
          ...common,
          dialects: ["dialect_responses", "dialect_chat"],
          auth: "login",
          models: ["shared"],
        },
      },
    },
  });
});

beforeEach(async () => {
  user = await causeway.createUser();
  key = await user.createKey();
  for (const label of ["chat", "messages"]) {
    const dialect = `dialect_${label}`;
    const body = { label, base_url: upstream.baseUrl, api_key: "sk-1", dialect };
    await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  }
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

const chat = "/v1/chat/completions";
const responses = "/v1/responses";
const messages = "/v1/messages";
const embeddings = "/v1/embeddings";

describe("a model id", () => {
  it.each([
    [chat, "custom/chat/m1"],
    [chat, "custom/chat/any/id with slashes"],
    [messages, "custom/messages/m1"],
    [chat, "acme/large"],
    [chat, "acme/not/listed"],
    [messages, "bolt/opus"],
    [responses, "code/shared"],
    [chat, "code/shared"],
    [chat, "large"],
    [embeddings, "custom/chat/m1"],
    [embeddings, "acme/large"],
    [embeddings, "code/shared"],
    [embeddings, "large"],
  ])(
    "[call.chat-pass-through] [model-id.custom] [route.own] [route.used] reaches its upstream from %s: %s",
    async (path, model) => {
      await linkAll();
      const answer = await call(path, model);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-svc-route-used")).toBe("byo");
    },
  );

  it.each([
    [chat, "custom/none/m", 403, "no_custom_upstream"],
    [chat, "custom/chat", 400, "invalid_request"],
    [chat, "custom/", 400, "invalid_request"],
    [chat, "@nobody", 400, "invalid_request"],
    [chat, "unknown-model", 403, "no_vendor_credential"],
    [chat, "nobody/large", 403, "no_vendor_credential"],
    [messages, "custom/chat/m1", 400, "invalid_request"],
    [chat, "custom/messages/m1", 400, "invalid_request"],
    [responses, "custom/chat/m1", 400, "invalid_request"],
    [embeddings, "custom/messages/m1", 400, "invalid_request"],
    [embeddings, "bolt/opus", 400, "invalid_request"],
    [embeddings, "unknown-model", 403, "no_vendor_credential"],
  ])(
    "[address.dialect] [model-id.alias-unknown] %s refuses %s with %i %s",
    async (path, model, status, code) => {
      await linkAll();
      expectRefusal(await call(path, model), status, code);
    },
  );

  it("[route.none] [error.403-vendor] [service.pass-through] of a vendor that is not linked is 403 no_vendor_credential, until it is linked", async () => {
    expectRefusal(await call(chat, "acme/large"), 403, "no_vendor_credential");
    expectRefusal(await call(chat, "large"), 403, "no_vendor_credential");
    await linkAll();
    expect((await call(chat, "acme/large")).status).toBe(200);
    for (const vendor of ["acme", "code"]) {
      const path = `/v1/vendors/${vendor}/credential`;
      await causeway.call("DELETE", path, { token: user.session });
    }
    await expect
      .poll(async () => codeOf(await call(chat, "acme/large")), { timeout: 1000 })
      .toBe("no_vendor_credential");
  });

  it("[error.403-custom] of an endpoint of another account is 403 no_custom_upstream", async () => {
    const { secret } = await (await causeway.createUser()).createKey();
    expectRefusal(await call(chat, "custom/chat/m1", {}, secret), 403, "no_custom_upstream");
  });

  it("of an endpoint that is removed is 403 no_custom_upstream within a second", async () => {
    expect((await call(chat, "custom/chat/m1")).status).toBe(200);
    await causeway.call("DELETE", "/v1/upstreams/chat", { token: user.session });
    await expect
      .poll(async () => codeOf(await call(chat, "custom/chat/m1")), { timeout: 1000 })
      .toBe("no_custom_upstream");
  });

  it.each([
    ["code", "acme"],
    ["acme", "code"],
  ])(
    "[model-id.bare] that is bare reaches the vendor that was linked first: %s, %s",
    async (first, second) => {
      await link(first);
      await link(second);
      const id = `bare-${first}-${second}`;
      expect((await call(chat, "shared", { "x-request-id": id })).status).toBe(200);
      await expect
        .poll(() => causeway.logLines().find((line) => line["request_id"] === id))
        .toMatchObject({ model: `${first}/shared` });
    },
  );

  it("[allowed.canonical] [error.403-model] is looked at after the key's own limits: allowed_models", async () => {
    await linkAll();
    const { secret } = await user.createKey({ allowed_models: ["custom/chat/*", "acme/l*"] });
    for (const [model, status] of [
      ["custom/chat/m1", 200],
      ["acme/large", 200],
      ["large", 200],
      ["acme/shared", 403],
      ["code/shared", 403],
    ] as const) {
      const answer = await call(chat, model, {}, secret);
      expect([model, answer.status]).toEqual([model, status]);
    }
    expectRefusal(await call(chat, "acme/shared", {}, secret), 403, "model_not_allowed");
  });
});

describe("the control headers", () => {
  it.each<[string, Record<string, string>, string]>([
    ["custom/chat/m1", { "x-svc-route": "wallet" }, "x-svc-route"],
    ["custom/chat/m1", { "x-svc-route": "credits" }, "x-svc-route"],
    ["custom/chat/m1", { "x-svc-mode": "chat" }, "x-svc-mode"],
    ["custom/chat/m1", { "x-svc-engine": "fast" }, "x-svc-engine"],
    ["custom/chat/m1", { "x-svc-engine": "omni" }, "x-svc-engine"],
    ["agent", { "x-svc-mode": "model" }, "x-svc-mode"],
    ["agent-fast", { "x-svc-mode": "model" }, "x-svc-mode"],
    ["custom/chat/m1", { "x-svc-session": "a-b" }, "x-svc-session"],
    ["custom/chat/m1", { "x-svc-session": "a".repeat(60) }, "x-svc-session"],
    ["custom/chat/m1", { "x-svc-session": "" }, "x-svc-session"],
    ["custom/chat/m1", { "x-svc-tags": "project" }, "x-svc-tags"],
    ["custom/chat/m1", { "x-svc-tags": "a=1, a=2" }, "x-svc-tags"],
    ["custom/chat/m1", { "x-svc-strict": "maybe" }, "x-svc-strict"],
  ])(
    "[call.mode-header] [call.engine-header] [route.credits-custom] [mode.agent-as-model] [engine.no-agent] answer 400 and name the header where a call of %s sends %j",
    async (model, headers, param) => {
      const answer = await call(chat, model, headers);
      expectRefusal(answer, 400, "invalid_request");
      expect(answer.body.error.param).toBe(param);
    },
  );

  it("[call.route-header] [mode.header] beat the key's own route and mode", async () => {
    const { secret } = await user.createKey({ route: "credits", mode: "agent" });
    expectRefusal(await call(chat, "custom/chat/m1", {}, secret), 400, "invalid_request");
    const headers = { "x-svc-route": "byo", "x-svc-mode": "model" };
    expect((await call(chat, "custom/chat/m1", headers, secret)).status).toBe(200);
  });

  it("[call.session-header] [limit.session] take a thread id of 1 to 59 word characters", async () => {
    for (const id of ["a", "Thread_9", "a".repeat(59)]) {
      const answer = await call(chat, "custom/chat/m1", { "x-svc-session": id });
      expect(answer.status).toBe(200);
    }
  });
});

describe("the request bucket of a key", () => {
  it("[error.429] [error-body.messages] gives 429 in the dialect, with the headers on every answer", async () => {
    const limited = await user.createKey({ rate_limit: { requests_per_minute: 1, burst: 1 } });
    const admitted = await call(messages, "custom/messages/m1", {}, limited.secret);
    const refused = await call(messages, "custom/messages/m1", {}, limited.secret);
    expect([admitted.status, refused.status]).toEqual([200, 429]);
    expect(refused.body).toMatchObject({
      type: "error",
      error: { type: "rate_limit_error", details: { error_code: "rate_limited" } },
      request_id: refused.headers.get("request-id"),
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(50);
    for (const { headers } of [admitted, refused]) {
      expect(headers.get("ratelimit")).toContain("r=0");
      expect(headers.get("ratelimit-policy")).toContain("q=1");
      expect(headers.get("anthropic-ratelimit-requests-limit")).toBe("1");
      expect(headers.get("anthropic-ratelimit-requests-remaining")).toBe("0");
    }
  });

  it("[key.rate-limit] follows a change of the key within a second", async () => {
    const limit = { requests_per_minute: 1, burst: 1 };
    const { id, secret } = await user.createKey({ rate_limit: limit });
    await call(chat, "custom/chat/m1", {}, secret);
    expect((await call(chat, "custom/chat/m1", {}, secret)).status).toBe(429);
    const body = { rate_limit: null };
    await causeway.call("PATCH", `/v1/keys/${id}`, { token: user.session, body });
    await expect
      .poll(async () => (await call(chat, "custom/chat/m1", {}, secret)).status, { timeout: 1000 })
      .toBe(200);
  });

  it("refills in its own time after the clock of the machine was set back by an hour", async () => {
    const limit = { requests_per_minute: 600, burst: 1 };
    const { secret } = await user.createKey({ rate_limit: limit });
    expect((await call(chat, "custom/chat/m1", {}, secret)).status).toBe(200);
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - 3_600_000);
    onTestFinished(() => clock.mockRestore());
    await expect
      .poll(async () => (await call(chat, "custom/chat/m1", {}, secret)).status, { timeout: 5000 })
      .toBe(200);
  });
});

describe("a model call", () => {
  it.each([chat, responses, messages, embeddings])("[code.method] %s needs POST", async (path) => {
    const answer = await causeway.call("GET", path, { token: key.secret });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  });

  it("[call.other-fields] [input.model-bodies] is never refused for a field that the dialect may have", async () => {
    const body = { model: "custom/chat/m1", messages: [], surprise: { deep: [1] } };
    const answer = await causeway.call("POST", chat, { token: key.secret, body });
    expect(answer.status).toBe(200);
  });

  it("[error-body.headers] answers with our request id under both names", async () => {
    const { headers } = await call(chat, "custom/chat/m1", { "x-request-id": "mine" });
    expect([headers.get("x-request-id"), headers.get("request-id")]).toEqual(["mine", "mine"]);
  });

  it("[error-body.nested] points to the explanation of its refusal", async () => {
    const { body } = await call(chat, "custom/none/m1");
    expect(body.error).toEqual({
      message: expect.stringContaining("none"),
      type: "permission_error",
      param: null,
      code: "no_custom_upstream",
      doc_url: `${causeway.url}/docs/errors#no_custom_upstream`,
      request_id: expect.stringMatching(/^req_/),
    });
  });
});

async function linkAll(): Promise<void> {
  for (const vendor of ["acme", "bolt", "code"]) await link(vendor);
}

async function link(vendor: string): Promise<void> {
  const body = vendor === "code" ? { login: { access_token: "at" } } : { api_key: "sk-2" };
  const path = `/v1/vendors/${vendor}/credential`;
  await causeway.call("PUT", path, { token: user.session, body });
}

function call(
  path: string,
  model: string,
  headers: Record<string, string> = {},
  token: string = key.secret,
): Promise<RestAnswer> {
  return causeway.call("POST", path, { token, headers, body: { model, max_tokens: 1 } });
}

/** The code of a refusal, wherever its dialect puts it. */
function codeOf({ body }: RestAnswer): unknown {
  return body.error?.details?.error_code ?? body.error?.code;
}

function expectRefusal(answer: RestAnswer, status: number, code: string): void {
  expect([answer.status, codeOf(answer)]).toEqual([status, code]);
}
