import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, openFakeUpstream } from "../../support/fake-upstream.ts";
import {
  startTestInstance,
  type TestInstance,
  type TestUser,
} from "../../support/test-instance.ts";
import { responseFixtures } from "./response-fixtures.ts";
import type { Body } from "./pairs.ts";

let causeway: TestInstance;
let upstream: Awaited<ReturnType<typeof openFakeUpstream>>;
let user: TestUser;
let key: string;

/** A chat vendor that takes the newer name of the cap only, as the first call teaches. */
beforeAll(async () => {
  upstream = await openFakeUpstream(json({ object: "list", data: [] }));
  const vendor = {
    label: "Vendor",
    base_url: `${upstream.origin}/v1`,
    dialects: ["dialect_chat"],
    auth: "bearer",
  };
  causeway = await startTestInstance({
    file: {
      vendors: {
        strict: { ...vendor, models: ["gpt-5-mini"] },
        talker: { ...vendor, dialects: ["dialect_messages"], models: ["claude-opus-4-6"] },
        listed: vendor,
      },
    },
  });
  user = await causeway.createUser();
  for (const vendor of ["strict", "talker"]) {
    const path = `/v1/vendors/${vendor}/credential`;
    await causeway.call("PUT", path, { token: user.session, body: { api_key: "sk-linked" } });
  }
  key = (await user.createKey()).secret;
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

const question = { role: "user", content: "hello" };

async function preview(from: string, to: string, body: Body, token = key) {
  const answer = await causeway.call("POST", "/v1/transcode/preview", {
    token,
    body: { from, to, body },
  });
  expect(answer.status).toBe(200);
  return answer.body as { body: Body; warnings: Record<"path" | "action" | "reason", string>[] };
}

const claude = { max_tokens: 50, messages: [question], temperature: 0.5, top_k: 3 };

/** The upstream refuses the older name of the cap once, and it is not sent again. */
async function teachCap(): Promise<void> {
  const message = "Unsupported parameter: use `max_completion_tokens` instead.";
  const refusal = json({ error: { message } }, 400);
  const good = json(responseFixtures.chat.whole);
  upstream.play((response, request) => {
    const isOld = request.body.includes('"max_tokens"');
    return (isOld ? refusal : good)(response, request);
  });
  const body = { model: "strict/gpt-5-mini", ...claude };
  expect((await causeway.call("POST", "/v1/messages", { token: key, body })).status).toBe(200);
}

describe("a preview of a model that the caller can reach", () => {
  it.each(["strict/gpt-5-mini", "gpt-5-mini", "@mini"])(
    "is the body and the warnings of a call (%s)",
    async (model) => {
      await causeway.call("PUT", "/v1/aliases/mini", {
        token: user.session,
        body: { vendor: "strict", model_id: "gpt-5-mini" },
      });
      await teachCap();
      const before = upstream.requests.length;
      const shown = await preview("messages", "dialect_chat", { model, ...claude });
      expect(upstream.requests).toHaveLength(before);
      expect(shown.body).toMatchObject({ model: "gpt-5-mini", max_completion_tokens: 50 });
      const reply = await causeway.call("POST", "/v1/messages", {
        token: key,
        body: { model, ...claude },
      });
      expect(reply.status).toBe(200);
      const requests = upstream.requests.filter(({ path }) => path === "/v1/chat/completions");
      expect(shown.body).toEqual(JSON.parse(requests.at(-1)?.body.toString() ?? ""));
      const warned = shown.warnings.map(
        ({ path, action, reason }) => `"${path}";action=${action};reason=${reason}`,
      );
      expect(reply.headers.get("x-svc-warnings")).toBe(warned.join(", "));
    },
  );
});

describe("a preview of a model that the caller cannot reach", () => {
  it.each([
    ["somebody else's", "strict/gpt-5-mini"],
    ["an unknown vendor", "acme/gpt-5-mini"],
  ])("is of a server of which nothing is known: %s", async (_what, model) => {
    const other = await causeway.createUser();
    const { secret } = await other.createKey();
    const shown = await preview("messages", "dialect_chat", { model, ...claude }, secret);
    expect(shown.body).toMatchObject({ model, max_tokens: 50 });
  });

  it.each(["@nothing", "custom/x"])("is the 400 of a call for the name %s", async (model) => {
    const asked = { from: "messages", to: "dialect_chat", body: { model, ...claude } };
    const { secret } = await user.createKey();
    const previewed = await causeway.call("POST", "/v1/transcode/preview", {
      token: secret,
      body: asked,
    });
    const called = await causeway.call("POST", "/v1/chat/completions", {
      token: secret,
      body: { model, messages: [{ role: "user", content: "Hi" }] },
    });
    expect(previewed.status).toBe(400);
    expect(called.status).toBe(400);
    const { param, message } = (called.body as { error: { param: string; message: string } }).error;
    expect(previewed.body).toMatchObject({ error: "invalid_request", param, message });
  });

  it("is the same for a key that may not use the model, and for another dialect", async () => {
    const { secret } = await user.createKey({ allowed_models: ["custom/*"] });
    const model = "strict/gpt-5-mini";
    const barred = await preview("messages", "dialect_chat", { model, ...claude }, secret);
    expect(barred.body).toMatchObject({ model, max_tokens: 50 });
    const elsewhere = { model: "talker/claude-opus-4-6", ...claude };
    expect((await preview("messages", "dialect_chat", elsewhere)).body).toMatchObject({
      model: "talker/claude-opus-4-6",
      max_tokens: 50,
    });
  });

  it("asks no vendor for its list of models", async () => {
    const other = await causeway.createUser();
    const link = { token: other.session, body: { api_key: "sk-linked" } };
    await causeway.call("PUT", "/v1/vendors/listed/credential", link);
    const { secret } = await other.createKey();
    const before = upstream.requests.length;
    await preview("messages", "dialect_chat", { model: "never-listed", ...claude }, secret);
    expect(upstream.requests).toHaveLength(before);
  });
});
