import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  json,
  openFakeUpstream,
  text,
  type FakeUpstream,
  type Script,
} from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };

beforeAll(async () => {
  upstream = await openFakeUpstream(answer({}));
  const acme = { label: "Acme", base_url: `${upstream.origin}/v1`, models: ["m"] };
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  causeway = await startTestInstance({
    file: {
      vendors: { acme: { ...acme, dialects: ["dialect_chat"], auth: "bearer" } },
      credits: {
        keys: { acme: "operator-key" },
        catalog: [{ id: "sold", vendor: "acme", model: "m", ...price }],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

function answer(usage: object) {
  const message = { role: "assistant", content: "ok" };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const told = { prompt_tokens: 10, completion_tokens: 5, ...usage };
  return json({ id: "c", object: "chat.completion", model: "m", choices, usage: told });
}

const huge = { prompt_tokens: 1e30, completion_tokens: 1e30 };
/** What JSON can say and `jsonb` cannot hold, and an escape that only looks like it. */
const unstorable = { note: "\u0000\ud800\\u0000" };

/** Read by V8, and too deep for it to print. */
const nested = (): Script => {
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  const usage = `{"prompt_tokens":10,"completion_tokens":5,"deep":${deep}}`;
  const choice = { index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" };
  const rest = JSON.stringify({
    id: "c",
    object: "chat.completion",
    model: "m",
    choices: [choice],
  });
  return text(`{"usage":${usage},${rest.slice(1)}`, 200, { "content-type": "application/json" });
};

interface Payer {
  readonly user: TestUser;
  readonly token: string;
}

const credit = ({ id }: TestUser, amount_usd: unknown) =>
  causeway.call("POST", `/v1/admin/users/${id}/credits`, {
    token: causeway.adminToken,
    body: { amount_usd },
  });

async function payer(): Promise<Payer> {
  const user = await causeway.createUser();
  await credit(user, 1);
  return { user, token: (await user.createKey()).secret };
}

const ask = ({ token }: Payer, body: object) =>
  causeway.call("POST", "/v1/chat/completions", {
    token,
    body: { messages: [{ role: "user", content: "hi" }], max_tokens: 20, ...body },
  });

async function settled({ token }: Payer): Promise<number> {
  const wallet = async () => (await causeway.call("GET", "/v1/wallet", { token })).body;
  await waitUntil(async () => (await wallet()).held_usd === 0);
  return (await wallet()).balance_usd;
}

describe("numbers and texts that the database cannot hold", () => {
  it("are too much for any wallet where a caller asks for them", async () => {
    expect(await ask(await payer(), { model: "sold", max_tokens: 1e30 })).toMatchObject({
      status: 402,
      body: { error: { code: "byo_url" } },
    });
  });

  it.each([huge, unstorable])("hold nobody's money where a vendor tells %j", async (usage) => {
    const caller = await payer();
    upstream.playOnce(answer(usage));
    expect((await ask(caller, { model: "sold" })).status).toBe(200);
    const balance = await settled(caller);
    expect(balance).toBeLessThan(1);
    expect(balance).toBeGreaterThan(0.99);
  });

  it("hold nobody's money where a vendor's usage is nested deep, and are counted", async () => {
    const caller = await payer();
    upstream.playOnce(nested());
    expect((await ask(caller, { model: "sold" })).status).toBe(200);
    expect(await settled(caller)).toBe(1 - (10 * 1 + 5 * 2) / 1e6);
  });

  it("keep nobody's calls from being counted", async () => {
    const [odd, plain] = [await payer(), await payer()];
    for (const { user } of [odd, plain]) {
      const link = { token: user.session, body: { api_key: "own" } };
      await causeway.call("PUT", "/v1/vendors/acme/credential", link);
    }
    upstream.playOnce(answer(huge), answer(unstorable), nested());
    for (const model of ["acme/huge", "acme/note", "acme/deep", "acme/nul\u0000"]) {
      expect((await ask(odd, { model })).status).toBe(200);
    }
    await ask(plain, { model: "acme/m" });
    const counted = async ({ user }: Payer) => {
      const path = "/v1/usage?group_by=day";
      return (await causeway.call("GET", path, { token: user.session })).body.data[0]?.requests;
    };
    await waitUntil(async () => (await counted(plain)) === 1);
    expect(await counted(odd)).toBe(4);
  });
});

describe("a wallet", () => {
  it("takes nine billion dollars and not one more", async () => {
    const user = await causeway.createUser();
    for (let count = 1; count <= 9; count += 1) {
      expect((await credit(user, 1e9)).body.balance_usd).toBe(count * 1e9);
    }
    for (const usd of [1e9, 0.000000001]) {
      const { status, body } = await credit(user, usd);
      expect([status, body.error, body.param]).toEqual([400, "invalid_request", "amount_usd"]);
      expect(body.message).toContain("at most 9000000000 dollars");
    }
    const wallet = await causeway.call("GET", "/v1/wallet", { token: user.session });
    expect(wallet.body.balance_usd).toBe(9e9);
  });

  it.each([1e9 + 1, 0.0000000001, 1.0000000001, 0, "x"])(
    "is not filled with %j, over REST and Connect",
    async (usd) => {
      const user = await causeway.createUser();
      const refusal = { status: 400, body: { param: "amount_usd" } };
      expect(await credit(user, usd)).toMatchObject(refusal);
      const method = "/causeway.wallet.v1.WalletService/AddUserCredits";
      const body = { userId: user.id, amountUsd: usd };
      expect(
        await causeway.call("POST", method, { token: causeway.adminToken, body }),
      ).toMatchObject({ status: 400, body: { code: "invalid_argument" } });
    },
  );
});
