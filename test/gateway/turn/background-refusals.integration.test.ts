import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selectRows } from "../../support/select-rows.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { startCreditsInstance } from "../credits/credits-instance.ts";
import { clientOf, dials, model, startCaller } from "./background-caller.ts";
import { pausedStream } from "./paused-stream.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const input = "Hello?";

async function turnsOf(keyId: string): Promise<number> {
  const sql = `select from "turns" where "key_id" = $1`;
  return (await selectRows(causeway.connectionString, sql, keyId)).length;
}

const refused: readonly [string, object, number, string | null][] = [
  ["store: false", { store: false }, 400, "store"],
  ['store: "false"', { store: "false" }, 400, "store"],
  ["input that no upstream could be asked", { input: [{ type: "mystery" }] }, 400, "input[0].type"],
  ["a conversation of a vendor", { conversation: "conv_1" }, 400, "conversation"],
  ["an unknown previous response", { previous_response_id: "resp_x" }, 400, "previous_response_id"],
  [
    "a reference to an unknown item",
    { input: [{ type: "item_reference", id: "msg_x" }] },
    400,
    "input[0]",
  ],
  ["an unknown endpoint", { model: "custom/none/m" }, 403, null],
  ["an unknown alias", { model: "@none" }, 400, "model"],
];

describe("a call in the background", () => {
  it.each(refused)(
    "[background.unstored] [turns.refusals] with %s is refused before anything is stored",
    async (_name, more, status, param) => {
      const { call, keyId, upstream } = await startCaller(causeway);
      const answer = await call("POST", "/v1/responses", {
        model,
        input,
        background: true,
        ...more,
      });
      expect([answer.status, answer.body.error.param]).toEqual([status, param]);
      expect(await turnsOf(keyId)).toBe(0);
      expect(dials(upstream)).toEqual([]);
    },
  );

  it("[turns.refusals] with a model that the key may not use is refused before anything is stored", async () => {
    const { user, call } = await startCaller(causeway);
    const { id, secret } = await user.createKey({ allowed_models: ["custom/box/other"] });
    const body = { model, input, background: true };
    const answer = await causeway.call("POST", "/v1/responses", { token: secret, body });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "model_not_allowed" } } });
    expect(await turnsOf(id)).toBe(0);
    expect((await call("POST", "/v1/responses", { ...body, background: "true" })).status).toBe(400);
  });

  it("is told what was lost on the way, and refused that where it is strict", async () => {
    const { secret, keyId, upstream } = await startCaller(causeway);
    upstream.play(pausedStream().script);
    const body = { model, input, background: true, truncation: "auto" };
    const strict = await causeway.call("POST", "/v1/responses", {
      token: secret,
      body,
      headers: { "x-svc-strict": "true" },
    });
    expect(strict).toMatchObject({ status: 400, body: { error: { param: "truncation" } } });
    expect(await turnsOf(keyId)).toBe(0);
    const told = await causeway.call("POST", "/v1/responses", { token: secret, body });
    expect(told.headers.get("x-svc-warnings")).toMatch(/truncation.*action=dropped/);
    expect(told.headers.get("x-svc-call")).toMatch(/^call_/);
    expect(told.headers.get("x-svc-route-used")).toBe("byo");
    expect(told.headers.get("x-svc-target")).toBe(model);
  });

  it("[turns.a-hundred] is refused where a key has a hundred that wait or run, until one has ended", async () => {
    const { user, upstream } = await startCaller(causeway);
    upstream.play(pausedStream().script);
    const rate_limit = { requests_per_minute: 10_000, burst: 1000 };
    const openai = clientOf(causeway, (await user.createKey({ rate_limit })).secret);
    const ask = () => openai.responses.create({ model, input, background: true });
    const first = await ask();
    for (let asked = 1; asked < 100; asked += 9) {
      await Promise.all(Array.from({ length: 9 }, ask));
    }
    await expect(ask()).rejects.toMatchObject({ status: 429, code: "rate_limited" });
    const other = await user.createKey();
    const body = { model, input, background: true };
    const answer = await causeway.call("POST", "/v1/responses", { token: other.secret, body });
    expect(answer.status).toBe(200);
    await openai.responses.cancel(first.id);
    expect((await ask()).status).toBe("queued");
  });
});

describe("where no responses are kept", () => {
  it("[background.kept] none is made in the background", async () => {
    const none = await startTestInstance({ file: { retention: { responses_days: 0 } } });
    try {
      const { call } = await startCaller(none);
      const answer = await call("POST", "/v1/responses", { model, input, background: true });
      expect(answer).toMatchObject({ status: 400, body: { error: { param: "background" } } });
    } finally {
      await none.close();
    }
  });
});

describe("a call in the background that nobody can pay", () => {
  it("[turns.refusals] is refused, holds nothing, and holds nothing while it waits where it can be paid", async () => {
    const sold = await startCreditsInstance();
    try {
      const { secret } = await sold.buyer();
      const { call } = sold.causeway;
      const body = { model: "talker", input, background: true, max_output_tokens: 2_000_000 };
      const answer = await call("POST", "/v1/responses", { token: secret, body });
      expect(answer).toMatchObject({ status: 402, body: { error: { code: "byo_url" } } });
      const sql = `select from "turns"`;
      expect(await selectRows(sold.causeway.connectionString, sql)).toEqual([]);
      expect((await call("GET", "/v1/wallet", { token: secret })).body.held_usd).toBe(0);
    } finally {
      await sold.close();
    }
  });
});
