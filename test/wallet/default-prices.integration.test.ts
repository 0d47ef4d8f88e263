/** Models that are sold at the prices of the price package. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { json, openFakeUpstream, type FakeUpstream } from "../support/fake-upstream.ts";
import { selectRows } from "../support/select-rows.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };

beforeAll(async () => {
  upstream = await openFakeUpstream();
  const common = { base_url: `${upstream.origin}/v1`, models: ["m"] };
  const messages = { dialects: ["dialect_messages"], auth: "x-api-key" };
  causeway = await startTestInstance({
    file: {
      vendors: {
        openai: { label: "OpenAI", dialects: ["dialect_chat"], auth: "bearer", ...common },
        anthropic: { ...messages, label: "Anthropic", ...common },
      },
      credits: {
        keys: { openai: "operator-key", anthropic: "operator-key" },
        catalog: [
          { id: "mini", vendor: "openai", model: "gpt-5-mini" },
          { id: "long", vendor: "anthropic", model: "claude-sonnet-4-5", max_output_tokens: 100 },
        ],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

async function payer(): Promise<{ readonly id: string; readonly token: string }> {
  const user = await causeway.createUser();
  const path = `/v1/admin/users/${user.id}/credits`;
  const body = { amount_usd: 10 };
  await causeway.call("POST", path, { token: causeway.adminToken, body });
  return { id: user.id, token: (await user.createKey()).secret };
}

/** What is left when nothing is held any more. */
async function left(token: string): Promise<number> {
  const wallet = async () => (await causeway.call("GET", "/v1/wallet", { token })).body;
  await waitUntil(async () => (await wallet()).held_usd === 0);
  return (await wallet()).balance_usd;
}

it("[file.credits] charges cached input at its own rate, and keeps the rule with the package's version", async () => {
  const { id, token } = await payer();
  const message = { role: "assistant", content: "ok" };
  const usage = {
    prompt_tokens: 1000,
    completion_tokens: 100,
    prompt_tokens_details: { cached_tokens: 400 },
  };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  upstream.playOnce(json({ id: "c", object: "chat.completion", model: "m", choices, usage }));
  const body = { model: "mini", messages: [{ role: "user", content: "hi" }], max_tokens: 100 };
  expect((await causeway.call("POST", "/v1/chat/completions", { token, body })).status).toBe(200);
  // 600 x 0.25 + 400 x 0.025 + 100 x 2 = 360 millionths.
  expect(await left(token)).toBe(10 - 0.00036);
  const [row] = await selectRows(
    causeway.connectionString,
    "select rule, usage from ledger_entries where account_id = $1",
    id,
  );
  expect(row).toEqual({
    usage,
    rule: {
      inputUsdPerMtok: 0.25,
      outputUsdPerMtok: 2,
      cachedInputUsdPerMtok: 0.025,
      source: expect.stringMatching(
        /^@pydantic\/genai-prices \d+\.\d+\.\d+ \(openai gpt-5-mini\)$/,
      ),
    },
  });
});

it("charges a long prompt at the price of long prompts, cache writes too", async () => {
  const { token } = await payer();
  const usage = {
    input_tokens: 100_000,
    cache_read_input_tokens: 100_000,
    cache_creation_input_tokens: 50_000,
    output_tokens: 10,
  };
  const content = [{ type: "text", text: "ok" }];
  const answer = { id: "m", type: "message", role: "assistant", model: "m", content, usage };
  upstream.playOnce(json({ ...answer, stop_reason: "end_turn", stop_sequence: null }));
  const messages = [{ role: "user", content: "hi" }];
  const body = { model: "long", messages, max_tokens: 100 };
  expect((await causeway.call("POST", "/v1/messages", { token, body })).status).toBe(200);
  // 100k x 6 + 100k x 0.6 + 50k x 7.5 + 10 x 22.5 millionths.
  expect(await left(token)).toBe(10 - 1.035225);
});

it("lists the window that the package knows", async () => {
  const { token } = await payer();
  const { body } = await causeway.call("GET", "/v1/models", { token });
  expect(body.data.find(({ id }: { id: string }) => id === "mini")).toMatchObject({
    available: true,
    context_window: 400_000,
  });
});
