import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { json, openFakeUpstream, type FakeUpstream } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

type Upstream = FakeUpstream & { close(): Promise<void> };

let causeway: TestInstance;
let acme: Upstream;
let bolt: Upstream;

/** A dollar a million in, two out; at the second vendor ten times as much. */
const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
const dear = { input_usd_per_mtok: 10, output_usd_per_mtok: 20 };

const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
const cheapCost = 0.0012;
const dearCost = 0.012;

const choices = [
  { index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" },
];
const ok = json({ id: "c", object: "chat.completion", model: "up", choices, usage });
const busy = json({ error: { message: "busy" } }, 503);

beforeAll(async () => {
  [acme, bolt] = [await openFakeUpstream(ok), await openFakeUpstream(ok)];
  const vendor = { dialects: ["dialect_chat"], auth: "bearer", models: ["m"] };
  causeway = await startTestInstance({
    file: {
      vendors: {
        acme: { label: "Acme", base_url: `${acme.origin}/v1`, ...vendor },
        bolt: { label: "Bolt", base_url: `${bolt.origin}/v1`, ...vendor },
      },
      credits: {
        keys: { acme: "operator-key", bolt: "operator-key" },
        catalog: [
          { id: "cheap", vendor: "acme", model: "m", ...price },
          { id: "dear", vendor: "bolt", model: "m", ...dear },
        ],
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await Promise.all([acme.close(), bolt.close()]);
});

beforeEach(() => {
  acme.play(ok);
  bolt.play(ok);
});

interface Owner {
  readonly user: TestUser;
  readonly key: string;
}

async function owner(usd: number, targets: readonly object[], linked: readonly string[] = []) {
  const user = await causeway.createUser();
  if (usd > 0) {
    const path = `/v1/admin/users/${user.id}/credits`;
    await causeway.call("POST", path, { token: causeway.adminToken, body: { amount_usd: usd } });
  }
  for (const vendor of linked) {
    const body = { api_key: "own-key-of-this-account" };
    const path = `/v1/vendors/${vendor}/credential`;
    expect(await causeway.call("PUT", path, { token: user.session, body })).toMatchObject({
      status: 200,
    });
  }
  const alias = await causeway.call("PUT", "/v1/aliases/pool", {
    token: user.session,
    body: { targets },
  });
  expect(alias.status).toBe(200);
  return { user, key: (await user.createKey()).secret };
}

const ask = ({ key }: Owner, headers: Record<string, string> = {}) =>
  causeway.call("POST", "/v1/chat/completions", {
    token: key,
    headers,
    body: { model: "@pool", messages: [{ role: "user", content: "Hello" }], max_tokens: 200 },
  });

const walletOf = async ({ key }: Owner) =>
  (await causeway.call("GET", "/v1/wallet", { token: key })).body;

/** What was spent of ten dollars when nothing is held any more. */
async function spent(payer: Owner): Promise<number> {
  await waitUntil(async () => (await walletOf(payer)).held_usd === 0);
  return Math.round((10 - (await walletOf(payer)).balance_usd) * 1e9) / 1e9;
}

const tokenOf = (upstream: FakeUpstream) => upstream.requests.at(-1)?.headers.authorization;

describe("an alias with targets of the account's own and of the wallet", () => {
  it("[pool.credits] moves a call to credits where the target says so", async () => {
    const payer = await owner(
      10,
      [
        { vendor: "acme", model_id: "m" },
        { vendor: "bolt", model_id: "m", route: "credits" },
      ],
      ["acme"],
    );
    acme.playOnce(busy);
    const answer = await ask(payer);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-svc-route-used")).toBe("credits");
    expect(answer.headers.get("x-svc-target")).toBe("dear");
    expect(await spent(payer)).toBe(dearCost);
    expect(tokenOf(bolt)).toBe("Bearer operator-key");
  });

  it("[pool.credits] moves none where no target says so", async () => {
    const payer = await owner(
      10,
      [
        { vendor: "acme", model_id: "m" },
        { vendor: "bolt", model_id: "m" },
      ],
      ["acme"],
    );
    const before = bolt.requests.length;
    acme.playOnce(busy);
    const answer = await ask(payer);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("x-svc-target")).toBe("acme/m");
    expect([bolt.requests.length - before, await spent(payer)]).toEqual([0, 0]);
  });

  it("calls none on credits that the caller wants on its own credentials", async () => {
    const payer = await owner(
      10,
      [
        { vendor: "bolt", model_id: "m", route: "credits" },
        { vendor: "acme", model_id: "m" },
      ],
      ["acme"],
    );
    const answer = await ask(payer, { "x-svc-route": "byo" });
    expect(answer.headers.get("x-svc-target")).toBe("acme/m");
    expect(await spent(payer)).toBe(0);
  });

  it("[pool.own-402] answers with the 402 of the wallet, which is no failure of a target", async () => {
    const payer = await owner(
      0,
      [
        { vendor: "acme", model_id: "m" },
        { vendor: "bolt", model_id: "m", route: "credits" },
      ],
      ["acme"],
    );
    acme.playOnce(busy);
    expect((await ask(payer)).status).toBe(402);
  });
});

describe("an alias whose targets are all paid from the wallet", () => {
  const targets = [
    { vendor: "acme", model_id: "m" },
    { vendor: "bolt", model_id: "m" },
  ];

  it("[pool.own-price] charges the one that answered, at its own price", async () => {
    const payer = await owner(10, targets);
    acme.playOnce(busy);
    expect((await ask(payer)).status).toBe(200);
    expect(await spent(payer)).toBe(dearCost);
  });

  it("[pool.own-price] charges a failed one that reported what it used", async () => {
    const payer = await owner(10, targets);
    acme.playOnce(json({ error: { message: "broke down" }, usage }));
    expect((await ask(payer)).status).toBe(200);
    expect(await spent(payer)).toBe(Math.round((cheapCost + dearCost) * 1e9) / 1e9);
  });

  it("[pool.own-price] charges nothing when all fail", async () => {
    const payer = await owner(10, targets);
    acme.playOnce(busy);
    bolt.playOnce(busy);
    expect((await ask(payer)).status).toBe(503);
    expect(await spent(payer)).toBe(0);
  });

  it("holds nothing any more when the caller leaves between two targets", async () => {
    const payer = await owner(10, targets);
    const leaving = new AbortController();
    acme.playOnce((response, request) => {
      leaving.abort();
      busy(response, request);
    });
    await fetch(`${causeway.url}/v1/chat/completions`, {
      method: "POST",
      signal: leaving.signal,
      headers: { authorization: `Bearer ${payer.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "@pool", messages: [], max_tokens: 5 }),
    }).catch(() => undefined);
    expect(await spent(payer)).toBe(0);
  });
});
