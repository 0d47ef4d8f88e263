import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, openFakeUpstream, stream, type FakeUpstream } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";
import { answer, chunk, usage } from "./chat-responses.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };

/** A dollar a million in, two out: a token in costs 0.000001, one out 0.000002. */
const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2, cached_input_usd_per_mtok: 0.5 };

beforeAll(async () => {
  upstream = await openFakeUpstream(answer(usage(10, 5)));
  const vendor = { base_url: `${upstream.origin}/v1`, auth: "bearer", models: ["acme-large"] };
  causeway = await startTestInstance({
    file: {
      vendors: {
        acme: { label: "Acme", dialects: ["dialect_chat"], ...vendor },
        bolt: { label: "Bolt", dialects: ["dialect_messages"], ...vendor },
      },
      credits: {
        keys: { acme: "operator-key" },
        catalog: [
          { id: "sold", vendor: "acme", model: "acme-large", ...prices },
          { id: "dear", vendor: "acme", model: "acme-large", ...prices, output_usd_per_mtok: 20 },
          { id: "terse", vendor: "acme", model: "acme-terse", ...prices },
          { ...capped, vendor: "acme", model: "acme-capped", ...prices },
          { id: "keyless", vendor: "bolt", model: "acme-large", ...prices },
        ],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

/** A model that says ten tokens at most. */
const capped = { id: "capped", max_output_tokens: 10 };

interface Payer {
  readonly user: TestUser;
  readonly key: string;
  readonly keyId: string;
}

/** A user with so many dollars and a key. */
async function payer(usd: number, key: Record<string, unknown> = {}): Promise<Payer> {
  const user = await causeway.createUser();
  if (usd > 0) await credit(`users/${user.id}`, usd);
  const { id: keyId, secret } = await user.createKey(key);
  return { user, key: secret, keyId };
}

const credit = (path: string, usd: number) =>
  causeway.call("POST", `/v1/admin/${path}/credits`, {
    token: causeway.adminToken,
    body: { amount_usd: usd },
  });

const messages = [{ role: "user", content: "x".repeat(40) }];

const ask = (token: string, body: object = {}, headers: Record<string, string> = {}) =>
  causeway.call("POST", "/v1/chat/completions", {
    token,
    headers,
    body: { model: "sold", messages, max_tokens: 20, ...body },
  });

const wallet = async (token: string) => (await causeway.call("GET", "/v1/wallet", { token })).body;

/** The wallet when nothing is held any more: a call is settled right after its answer. */
async function settled(token: string) {
  await waitUntil(async () => (await wallet(token)).held_usd === 0);
  return wallet(token);
}

describe("the wallet", () => {
  it("[identity.account-aliases] [shape.wallet] is filled by the operator, of people and teams", async () => {
    const { user, key } = await payer(0);
    expect(await wallet(key)).toEqual({ object: "wallet", balance_usd: 0, held_usd: 0 });
    expect((await credit(`users/${user.id}`, 1.5)).body.balance_usd).toBe(1.5);
    expect((await credit(`users/${user.id}`, 0.25)).body.balance_usd).toBe(1.75);
    expect(await wallet(user.session)).toMatchObject({ balance_usd: 1.75 });
    const team = await causeway.call("POST", "/v1/teams", {
      token: user.session,
      body: { name: "T" },
    });
    expect((await credit(`teams/${team.body.id}`, 2)).body.balance_usd).toBe(2);
    expect((await credit("users/user_00000000000000000000000000", 1)).status).toBe(404);
    expect((await credit(`users/${user.id}`, -1)).body.param).toBe("amount_usd");
  });

  it("[money.settle] pays what the vendor told, cached input at its own price", async () => {
    const { key } = await payer(1);
    upstream.playOnce(answer(usage(1000, 100, 400)));
    const answered = await ask(key);
    expect(answered.status).toBe(200);
    expect(answered.headers.get("x-svc-route-used")).toBe("credits");
    // 600 x 1 + 400 x 0.5 + 100 x 2 = 1000 millionths.
    expect((await settled(key)).balance_usd).toBe(1 - 0.001);
    expect(upstream.requests.at(-1)?.headers["authorization"]).toBe("Bearer operator-key");
    expect(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "").model).toBe("acme-large");
  });

  it("pays what the answer itself tells, not what an object in it does", async () => {
    const { key } = await payer(1);
    const other = { usage: usage(9000, 9000) };
    const told = {
      id: "c",
      object: "chat.completion",
      choices: [],
      usage: usage(1000, 100),
      other,
    };
    upstream.playOnce(json(told));
    expect((await ask(key)).status).toBe(200);
    expect((await settled(key)).balance_usd).toBe(1 - 0.0012);
  });

  it("[environment.byo-url] [error-body.byo-url] [route.spent] [money.reserve] [error.402] must have the most that a call can cost: 402 with byo_url", async () => {
    // 40 characters are 10 tokens in, the cap is 20 out: 10 x 1 + 20 x 2 = 50 millionths.
    const { key } = await payer(0.000049);
    const refused = await ask(key);
    expect(refused).toMatchObject({
      status: 402,
      body: { error: { code: "byo_url", byo_url: expect.stringContaining(causeway.url) } },
    });
    const messagesCall = await causeway.call("POST", "/v1/messages", {
      token: key,
      body: { model: "sold", max_tokens: 20, messages },
    });
    expect(messagesCall).toMatchObject({
      status: 402,
      body: {
        type: "error",
        error: { type: "billing_error", details: { error_code: "byo_url" } },
      },
    });
    const { key: richer } = await payer(0.00005);
    expect((await ask(richer)).status).toBe(200);
  });

  it.each([
    ["/v1/chat/completions", { messages, max_tokens: 20, max_output_tokens: 1 }],
    ["/v1/messages", { messages, max_tokens: 20, max_completion_tokens: 1 }],
    ["/v1/responses", { input: "x".repeat(40), max_output_tokens: 20, max_tokens: 1 }],
  ])("holds by the cap of the caller's own dialect (%s)", async (path, body) => {
    const { key } = await payer(0.000049);
    const refused = await causeway.call("POST", path, {
      token: key,
      body: { model: "sold", ...body },
    });
    expect(refused.status).toBe(402);
  });

  it("holds no more output than the model can say, however much is asked for", async () => {
    // 10 tokens in and 10 out: 10 x 1 + 10 x 2 = 30 millionths.
    const { key: poorer } = await payer(0.000029);
    const { key } = await payer(0.00003);
    const most = { model: "capped", max_tokens: 1000 };
    expect((await ask(poorer, most)).status).toBe(402);
    upstream.playOnce(answer(usage(10, 5)));
    expect((await ask(key, most)).status).toBe(200);
  });

  it("gives the reserve back when the vendor refuses or cannot be reached", async () => {
    const { key } = await payer(1);
    upstream.playOnce(json({ error: { message: "no" } }, 400));
    expect((await ask(key)).status).toBe(400);
    expect(await settled(key)).toEqual({ object: "wallet", balance_usd: 1, held_usd: 0 });
  });

  it("[route.no-fall-over] [money.own-free] is never asked for the caller's own credential", async () => {
    const { user, key } = await payer(0);
    await causeway.call("PUT", "/v1/vendors/acme/credential", {
      token: user.session,
      body: { api_key: "own" },
    });
    const answered = await ask(key, { model: "acme/acme-large" });
    expect(answered.headers.get("x-svc-route-used")).toBe("byo");
    // A failed own credential never falls over to credits by itself.
    await credit(`users/${user.id}`, 1);
    upstream.playOnce(json({ error: { message: "bad key" } }, 401));
    expect(await ask(key, { model: "acme/acme-large" })).toMatchObject({
      status: 403,
      body: { error: { code: "no_vendor_credential" } },
    });
    expect(await wallet(key)).toMatchObject({ balance_usd: 1 });
  });

  it("[call.credits] [model-id.catalogue] [route.credits] [route.catalogue-vendor] is asked by route credits, and by auto where nothing is owned", async () => {
    const { user, key } = await payer(1);
    const used = async (model: string, route?: string) =>
      (await ask(key, { model }, route === undefined ? {} : { "x-svc-route": route })).headers.get(
        "x-svc-route-used",
      );
    expect(await used("sold")).toBe("credits");
    expect(await used("acme/acme-large")).toBe("credits");
    // An alias without a model means the vendor's first, which is sold.
    expect(await used("@acme")).toBe("credits");
    expect(await used("@acme", "credits")).toBe("credits");
    expect(await ask(key, {}, { "x-svc-route": "byo" })).toMatchObject({ status: 403 });
    expect(await ask(key, { model: "keyless" })).toMatchObject({
      status: 403,
      body: { error: { code: "no_vendor_credential" } },
    });
    await causeway.call("PUT", "/v1/vendors/acme/credential", {
      token: user.session,
      body: { api_key: "own" },
    });
    expect(await used("acme/acme-large")).toBe("byo");
    expect(await used("acme/acme-large", "credits")).toBe("credits");
    expect(await ask(key, { model: "custom/a/b" }, { "x-svc-route": "credits" })).toMatchObject({
      status: 400,
      body: { error: { param: "x-svc-route" } },
    });
  });

  it("pays the price of the entry that is named, where several sell one model", async () => {
    const { key: token } = await payer(1, { route: "credits" });
    for (const model of ["@sold", "@dear", "sold", "dear", "acme/acme-large"]) {
      expect((await ask(token, { model })).status).toBe(200);
    }
    await settled(token);
    const { body } = await causeway.call("GET", "/v1/usage?group_by=model", { token });
    expect(body.data).toMatchObject([
      { model: "dear", requests: 2, cost_usd: 0.00022 },
      { model: "sold", requests: 3, cost_usd: 0.00006 },
    ]);
  });

  it("[hang-up.settle] pays for what was relayed when the caller hangs up", async () => {
    const { key } = await payer(1);
    const frames = [
      chunk({ role: "assistant", content: "a" }, null),
      chunk({ content: "b" }, null),
    ];
    upstream.playOnce(stream(frames, { ending: "stall" }));
    const ending = new AbortController();
    const answered = await fetch(`${causeway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sold", messages, max_tokens: 20, stream: true }),
      signal: ending.signal,
    });
    await answered.body?.getReader().read();
    expect((await wallet(key)).held_usd).toBe(0.00005);
    ending.abort();
    const { balance_usd: balance } = await settled(key);
    // The prompt of ten tokens, and one or two events.
    expect(balance).toBeLessThan(1);
    expect(balance).toBeGreaterThanOrEqual(1 - 0.000014);
  });

  it("pays for a transcoded call by what was told", async () => {
    const { key } = await payer(1);
    upstream.playOnce(answer(usage(1000, 100)));
    const answered = await causeway.call("POST", "/v1/messages", {
      token: key,
      body: { model: "sold", max_tokens: 20, messages },
    });
    expect(answered.body).toMatchObject({ type: "message", usage: { input_tokens: 1000 } });
    expect((await settled(key)).balance_usd).toBe(1 - 0.0012);
  });
});

describe("streams on credits", () => {
  const frames = [
    chunk({ role: "assistant", content: "a" }, null, { usage: null }),
    chunk({}, "stop", { usage: null }),
  ];
  const last = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [], usage: usage(1000, 100) })}\n\n`;

  it("[same.include-usage] ask for the usage and keep it from a caller who did not", async () => {
    const { key } = await payer(1);
    upstream.playOnce(stream([...frames, last, "data: [DONE]\n\n"]));
    const { body } = await ask(key, { stream: true });
    expect(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "")).toMatchObject({
      stream_options: { include_usage: true },
    });
    expect(body).toContain("[DONE]");
    expect(body).not.toContain("prompt_tokens");
    expect((await settled(key)).balance_usd).toBe(1 - 0.0012);
  });

  it("[retry.own-option] go without the usage where the upstream refuses the option, and remember it", async () => {
    const { key } = await payer(1);
    const refusal = { error: { message: "stream_options: Extra inputs are not permitted" } };
    const plain = stream([...frames, "data: [DONE]\n\n"]);
    const before = upstream.requests.length;
    upstream.playOnce(json(refusal, 400));
    upstream.playOnce(plain);
    const unasked = { model: "terse", stream: true, stream_options: { include_usage: false } };
    const first = await ask(key, unasked);
    expect(first.status).toBe(200);
    expect(first.body).toContain("[DONE]");
    upstream.playOnce(plain);
    expect((await ask(key, { model: "terse", stream: true })).body).toContain("[DONE]");
    const sent = upstream.requests.slice(before).map(({ body }) => JSON.parse(body.toString()));
    expect(sent.map((body) => body.stream_options?.include_usage)).toEqual([
      true,
      false,
      undefined,
    ]);
  });

  it("are made from a whole answer with what the caller asked for and its name of the model", async () => {
    const { key } = await payer(1);
    upstream.playOnce(answer(usage(1000, 100)));
    const { body } = await ask(key, { stream: true });
    expect(body).toContain('"model":"sold"');
    expect(body).toContain("[DONE]");
    expect(body).not.toContain("prompt_tokens");
    expect((await settled(key)).balance_usd).toBe(1 - 0.0012);
  });

  it("give the usage to a caller who asked", async () => {
    const { key } = await payer(1);
    upstream.playOnce(stream([...frames, last, "data: [DONE]\n\n"]));
    const { body } = await ask(key, { stream: true, stream_options: { include_usage: true } });
    expect(body).toContain("prompt_tokens");
    expect((await settled(key)).balance_usd).toBe(1 - 0.0012);
  });
});

describe("budgets of keys", () => {
  const budget = { limit_usd: 0.001, window: "day" };
  const keys = async ({ user }: Payer) =>
    (await causeway.call("GET", "/v1/keys", { token: user.session })).body.data;

  it("[key.budget] refuse what does not fit and show what was spent", async () => {
    const one = await payer(1, { budget });
    upstream.playOnce(answer(usage(100, 400)));
    expect((await ask(one.key, { max_tokens: 450 })).status).toBe(200);
    await settled(one.key);
    const [shown] = await keys(one);
    expect(shown.budget).toEqual({ ...budget, spent_usd: 0.0009 });
    const changed = await causeway.call("PATCH", `/v1/keys/${shown.id}`, {
      token: one.user.session,
      body: { name: "ci" },
    });
    expect(changed.body.budget).toEqual(shown.budget);
    expect(await ask(one.key, { max_tokens: 46 })).toMatchObject({
      status: 402,
      body: { error: { code: "byo_url" } },
    });
    expect((await ask(one.key, { max_tokens: 45 })).status).toBe(200);
  });

  it("[money.own-free] do not count calls on own credentials", async () => {
    const one = await payer(0, { budget });
    await causeway.call("PUT", "/v1/vendors/acme/credential", {
      token: one.user.session,
      body: { api_key: "own" },
    });
    expect((await ask(one.key, { model: "acme/acme-large" })).status).toBe(200);
    expect((await keys(one))[0].budget.spent_usd).toBe(0);
  });

  it("admit exactly what they hold of many parallel calls", async () => {
    // Each call reserves 50 millionths.
    const one = await payer(1, { budget: { limit_usd: 0.00025, window: "total" } });
    upstream.play(answer(usage(10, 20)));
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(one.key)));
    upstream.play(answer(usage(10, 5)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 402)).toHaveLength(45);
    expect((await settled(one.key)).balance_usd).toBe(1 - 0.00025);
  });
});

describe("GET /v1/usage", () => {
  const report = async (token: string, query = "") =>
    (await causeway.call("GET", `/v1/usage${query}`, { token })).body;

  it("[usage.own] [shape.usage] sums calls by day, model and key, of the account or of the key that asks", async () => {
    const one = await payer(1);
    await causeway.call("PUT", "/v1/vendors/acme/credential", {
      token: one.user.session,
      body: { api_key: "own" },
    });
    const other = await one.user.createKey();
    upstream.playOnce(answer(usage(10, 5, 4)), answer(usage(20, 6)), answer(undefined));
    await ask(one.key, { model: "acme/acme-large" });
    await ask(one.key);
    await ask(other.secret, { model: "acme/acme-large" });
    await settled(one.key);
    const byModel = await report(one.user.session, "?group_by=model");
    expect(byModel).toMatchObject({ object: "list", has_more: false, last_id: "sold" });
    expect(byModel.data).toEqual([
      {
        object: "usage",
        model: "acme/acme-large",
        requests: 2,
        input_tokens: expect.any(Number),
        cached_input_tokens: 4,
        output_tokens: expect.any(Number),
        cost_usd: 0,
        estimated: true,
        repeated: 0,
      },
      {
        object: "usage",
        model: "sold",
        requests: 1,
        input_tokens: 20,
        cached_input_tokens: 0,
        output_tokens: 6,
        cost_usd: 0.000032,
        estimated: false,
        repeated: 0,
      },
    ]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await report(one.user.session)).data).toMatchObject([{ day: today, requests: 3 }]);
    expect((await report(one.user.session, "?group_by=key")).data).toMatchObject([
      { key_id: one.keyId, requests: 2 },
      { key_id: other.id, requests: 1 },
    ]);
    expect((await report(one.key, "?group_by=key")).data).toMatchObject([
      { key_id: one.keyId, requests: 2 },
    ]);
    expect((await report(one.key, `?from=${today}&to=${today}`)).data).toHaveLength(1);
    expect((await report(one.key, "?to=2020-01-01")).data).toEqual([]);
    expect((await report(one.key, "?from=0000-01-01&to=9999-12-31")).data).toHaveLength(1);
    expect(await report(one.key, "?from=yesterday")).toMatchObject({ param: "from" });
    expect(await report(one.key, "?from=2026-13-45")).toMatchObject({ param: "from" });
    expect(await report(one.key, "?group_by=week")).toMatchObject({ param: "group_by" });
  });
});
