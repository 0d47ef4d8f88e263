import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openFakeUpstream, type FakeUpstream } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };

beforeAll(async () => {
  upstream = await openFakeUpstream();
  const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  const vendor = { label: "Acme", base_url: `${upstream.origin}/v1`, models: ["m"] };
  causeway = await startTestInstance({
    file: {
      vendors: { acme: { ...vendor, dialects: ["dialect_chat"], auth: "bearer" } },
      credits: {
        keys: { acme: "operator-key" },
        catalog: [{ id: "sold", vendor: "acme", model: "m", ...prices }],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

/** A key whose account has one dollar. */
async function createPayingKey(): Promise<string> {
  const user = await causeway.createUser();
  const body = { amount_usd: 1 };
  const path = `/v1/admin/users/${user.id}/credits`;
  await causeway.call("POST", path, { token: causeway.adminToken, body });
  return (await user.createKey()).secret;
}

async function settledBalance(token: string): Promise<number> {
  const wallet = async () => (await causeway.call("GET", "/v1/wallet", { token })).body;
  await waitUntil(async () => (await wallet()).held_usd === 0);
  return (await wallet()).balance_usd;
}

const messages = [{ role: "user", content: "x".repeat(4000) }];
/** A token for four characters, at a dollar for a million. */
const promptUsd = 1000 / 1e6;

const calls = [
  ["/v1/chat/completions", { messages }],
  ["/v1/messages", { messages, max_tokens: 20 }],
  ["/v1/responses", { input: messages, stream: true }],
] as const;

describe.each(calls)("a call of %s on credits that its caller leaves", (path, body) => {
  async function leave(token: string, beforeLeaving: () => Promise<unknown>): Promise<void> {
    const leaving = new AbortController();
    const call = fetch(`${causeway.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sold", ...body }),
      signal: leaving.signal,
    });
    await beforeLeaving();
    leaving.abort();
    await expect(call).rejects.toThrow("abort");
  }

  it("[hang-up.settle] pays for its prompt while the vendor works on it", async () => {
    const token = await createPayingKey();
    const index = upstream.requests.length;
    upstream.playOnce(() => undefined);
    await leave(token, () => upstream.request(index));
    const charged = 1 - (await settledBalance(token));
    expect(charged).toBeGreaterThanOrEqual(promptUsd - 1e-9);
    expect(charged).toBeLessThan(1.1 * promptUsd);
  });
});
