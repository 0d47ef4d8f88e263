import { afterAll, beforeAll, expect, it } from "vitest";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;
let user: TestUser;

/** Often enough that a change that is only heard of later would show. */
const rounds = Array.from({ length: 10 }, (_, index) => index);

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["m1"]);
  const acme = {
    label: "Acme",
    base_url: upstream.baseUrl,
    dialects: ["dialect_chat"],
    auth: "bearer",
    models: ["m1"],
  };
  causeway = await startTestInstance({ file: { vendors: { acme } } });
  user = await causeway.createUser();
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

/** As a session of the user. */
function change(method: string, path: string, body?: unknown) {
  return causeway.call(method, path, { token: user.session, body });
}

async function statusOf(model: string, token: string): Promise<number> {
  const body = { model, messages: [] };
  return (await causeway.call("POST", "/v1/chat/completions", { token, body })).status;
}

it("a link, and its end, count for the very next call", async () => {
  const { secret } = await user.createKey();
  for (const round of rounds) {
    await change("PUT", "/v1/vendors/acme/credential", { api_key: `sk-${round}` });
    expect(await statusOf("acme/m1", secret)).toBe(200);
    await change("DELETE", "/v1/vendors/acme/credential");
    expect(await statusOf("acme/m1", secret)).toBe(403);
  }
});

it("an endpoint, and its end, count for the very next call", async () => {
  const { secret } = await user.createKey();
  const body = { label: "mine", base_url: upstream.baseUrl };
  for (const round of rounds) {
    await change("POST", "/v1/upstreams", { ...body, api_key: `sk-${round}` });
    expect(await statusOf("custom/mine/m1", secret)).toBe(200);
    await change("DELETE", "/v1/upstreams/mine");
    expect(await statusOf("custom/mine/m1", secret)).toBe(403);
  }
});

it("a change of a key, and its end, count for the very next call", async () => {
  const body = { label: "other", base_url: upstream.baseUrl, api_key: "sk-1" };
  await change("POST", "/v1/upstreams", body);
  for (const round of rounds) {
    const { id, secret } = await user.createKey({ name: `key ${round}` });
    expect(await statusOf("custom/other/m1", secret)).toBe(200);
    await change("PATCH", `/v1/keys/${id}`, { allowed_models: ["acme/*"] });
    expect(await statusOf("custom/other/m1", secret)).toBe(403);
    await change("PATCH", `/v1/keys/${id}`, { allowed_models: [] });
    expect(await statusOf("custom/other/m1", secret)).toBe(200);
    await change("DELETE", `/v1/keys/${id}`);
    expect(await statusOf("custom/other/m1", secret)).toBe(403);
  }
});
