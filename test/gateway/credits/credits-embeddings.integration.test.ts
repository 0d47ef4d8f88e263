/** Embeddings that are paid from the wallet: their input, and nothing else. */
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { json, reset } from "../../support/fake-upstream.ts";
import { selectRows } from "../../support/select-rows.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { startCreditsInstance, type Buyer, type CreditsInstance } from "./credits-instance.ts";

let sold: CreditsInstance;
let buyer: Buyer;

const vendor = { dialects: ["dialect_chat"], auth: "bearer", models: ["m"] };

beforeAll(async () => {
  sold = await startCreditsInstance((base_url) => ({
    vendors: {
      openai: { label: "OpenAI", base_url, ...vendor },
      chat: { label: "Chat", base_url, ...vendor },
      blocks: { label: "Blocks", base_url, ...vendor, dialects: ["dialect_messages"] },
    },
    credits: {
      keys: { openai: "operator-key", chat: "operator-key", blocks: "operator-key" },
      catalog: [
        { id: "known", vendor: "openai", model: "text-embedding-3-small" },
        { id: "own", vendor: "chat", model: "m", input_usd_per_mtok: 10, output_usd_per_mtok: 8 },
        {
          id: "block",
          vendor: "blocks",
          model: "m",
          input_usd_per_mtok: 1,
          output_usd_per_mtok: 2,
        },
      ],
    },
  }));
});

afterAll(() => sold.close());

beforeEach(async () => {
  buyer = await sold.buyer();
});

const answer = (usage?: object) => json({ object: "list", data: [], model: "m", usage });

/** What was charged, when nothing is held any more. */
async function charged(): Promise<number> {
  const token = buyer.secret;
  const wallet = async () => (await sold.causeway.call("GET", "/v1/wallet", { token })).body;
  await waitUntil(async () => (await wallet()).held_usd === 0);
  return Math.round((1 - (await wallet()).balance_usd) * 1e9);
}

it("[embeddings.ledger] are charged what their vendor told, at the price of input", async () => {
  sold.upstream.play(answer({ prompt_tokens: 700, total_tokens: 700 }));
  await buyer.openai.embeddings.create({ model: "own", input: "hi" });
  expect(await charged()).toBe(7_000_000);
  expect(sold.sent()).toEqual({ model: "m", input: "hi", encoding_format: "base64" });
  const { body } = await sold.causeway.call("GET", "/v1/usage?group_by=model", {
    token: buyer.secret,
  });
  expect(body.data).toMatchObject([
    { model: "own", requests: 1, input_tokens: 700, output_tokens: 0, estimated: false },
  ]);
});

it("are listed with the calls of their key, by what they cost", async () => {
  sold.upstream.play(answer({ prompt_tokens: 100, total_tokens: 100 }));
  await buyer.openai.embeddings.create({ model: "own", input: "hi" });
  const token = buyer.secret;
  const calls = async () => (await sold.causeway.call("GET", "/v1/calls", { token })).body.data;
  await waitUntil(async () => (await calls())[0]?.cost_usd > 0);
  expect(await calls()).toMatchObject([
    {
      operation: "createEmbedding",
      dialect: "chat",
      model: "own",
      route: "credits",
      lane: "pass_through",
      stream: false,
      status: 200,
      input_tokens: 100,
      output_tokens: 0,
      cost_usd: 0.001,
    },
  ]);
});

it.each([
  ["a text", "é".repeat(398), 100],
  ["several texts", ["a".repeat(200), "b".repeat(200)], 100],
  ["tokens", [1, 22, 333], 3],
  ["lists of tokens", [[1, 22], [333]], 3],
])(
  "[embeddings.ledger] that nobody counted are charged by an estimate of %s",
  async (_, input, tokens) => {
    sold.upstream.play(answer());
    await buyer.openai.embeddings.create({ model: "own", input });
    expect(await charged()).toBe(tokens * 10_000);
    const rows = await selectRows(
      sold.causeway.connectionString,
      "select input_tokens, output_tokens, estimated from ledger_entries order by started_at desc",
    );
    expect(rows[0]).toEqual({ input_tokens: `${tokens}`, output_tokens: "0", estimated: true });
  },
);

it("[embeddings.ledger] reserve no output: a wallet that holds the input is enough", async () => {
  sold.upstream.play(answer({ prompt_tokens: 1, total_tokens: 1 }));
  const input = "a".repeat(380_000);
  await buyer.openai.embeddings.create({ model: "own", input });
  const tooLong = buyer.openai.embeddings.create({ model: "own", input: "a".repeat(400_004) });
  await expect(tooLong).rejects.toMatchObject({ status: 402, code: "byo_url" });
});

it("that fail cost nothing", async () => {
  sold.upstream.play(reset);
  const failed = buyer.openai.embeddings.create({ model: "own", input: "hi" });
  await expect(failed).rejects.toMatchObject({ status: 502 });
  expect(await charged()).toBe(0);
});

it("have the price of input that the price package knows, where it knows no other", async () => {
  sold.upstream.play(answer({ prompt_tokens: 1000, total_tokens: 1000 }));
  await buyer.openai.embeddings.create({ model: "openai/text-embedding-3-small", input: "hi" });
  expect(await charged()).toBe(20_000);
});

it("do not sell conversations with a model that has no price of output", async () => {
  const messages = [{ role: "user" as const, content: "hi" }];
  const failed = buyer.openai.chat.completions.create({ model: "known", messages });
  await expect(failed).rejects.toThrow(OpenAI.BadRequestError);
  await expect(failed).rejects.toMatchObject({ param: "model", message: /embeddings/ });
});

it("[embeddings.messages-endpoints] of a model whose vendor does not speak chat are refused", async () => {
  const failed = buyer.openai.embeddings.create({ model: "block", input: "hi" });
  await expect(failed).rejects.toMatchObject({ status: 400, param: "model" });
});

it("are listed as available", async () => {
  const { body } = await sold.causeway.call("GET", "/v1/models", { token: buyer.secret });
  expect(body.data.find(({ id }: { id: string }) => id === "known")).toMatchObject({
    lane: "credits",
    available: true,
  });
});
