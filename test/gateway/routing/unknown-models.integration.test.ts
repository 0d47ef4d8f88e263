import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLoopbackUpstream, type LoopbackUpstream } from "../../support/loopback-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["local-opus", "local-sonnet"]);
  const common = { base_url: upstream.baseUrl, dialects: ["dialect_chat"], auth: "bearer" };
  const models = ["opus-large", "opus-small", "sonnet", "haiku"];
  causeway = await startTestInstance({
    file: {
      vendors: {
        acme: { label: "Acme", ...common, models },
        bolt: { label: "Bolt", ...common, models: ["opus-large"] },
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

async function keyOf(fields: Record<string, unknown> = {}): Promise<string> {
  const user = await causeway.createUser();
  const { session: token } = user;
  const credential = { token, body: { api_key: "k" } };
  expect((await causeway.call("PUT", "/v1/vendors/acme/credential", credential)).status).toBe(200);
  const body = { label: "Box", base_url: upstream.baseUrl, api_key: "k" };
  expect((await causeway.call("POST", "/v1/upstreams", { token, body })).status).toBe(201);
  return (await user.createKey(fields)).secret;
}

async function refusalOf(token: string, model: string, path = "/v1/chat/completions") {
  const body = { model, messages: [], input: "", max_tokens: 1 };
  const answer = await causeway.call("POST", path, { token, body });
  const { error } = answer.body;
  const code = error?.details?.error_code ?? error?.code;
  expect([answer.status, code]).toEqual([403, "no_vendor_credential"]);
  return String(error.message);
}

describe("a model that nobody serves", () => {
  it.each(["/v1/chat/completions", "/v1/responses", "/v1/messages"])(
    "[clients.nearest-models] is refused with the three nearest names at %s",
    async (path) => {
      expect(await refusalOf(await keyOf(), "opus-lrge", path)).toMatch(
        / Nearest of what this key may use: `opus-large`, `opus-small`, `[^`]+`\.$/,
      );
    },
  );

  it("[clients.nearest-models] is refused with names that the key may use", async () => {
    const key = await keyOf({ allowed_models: ["custom/*", "acme/haiku"] });
    const message = await refusalOf(key, "opus-lrge");
    const names = [...message.matchAll(/`([^`]+)`/g)].map(([, name]) => name).slice(-3);
    expect(names).toHaveLength(3);
    for (const name of names) {
      expect(["haiku", "acme/haiku", "custom/box/local-opus", "custom/box/local-sonnet"]).toContain(
        name,
      );
    }
  });

  it("[clients.nearest-models] may be one of a vendor that is not linked", async () => {
    const message = await refusalOf(await keyOf(), "bolt/opus-large");
    expect(message).toContain("PUT /v1/vendors/bolt/credential");
    expect(message).toMatch(/may use: `opus-large`, `acme\/opus-large`, /);
  });

  it("is refused without names where there are none", async () => {
    const key = await keyOf({ allowed_models: ["none"] });
    expect(await refusalOf(key, "opus-lrge")).not.toContain("Nearest");
  });

  it("is refused without names where its own is longer than any", async () => {
    expect(await refusalOf(await keyOf(), "x".repeat(200))).not.toContain("Nearest");
  });
});
