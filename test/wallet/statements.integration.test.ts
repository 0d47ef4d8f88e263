import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { json, openFakeUpstream, type FakeUpstream } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };
/** What went to the database for calls. */
const statements: string[] = [];

/** Beside the calls: when keys were used last, the sweep behind dead processes, whether a turn waits, and days of calls. */
const background =
  /"last_used_at"|skip locked|_turns|pg_inherits|advisory_xact|lock_timeout|"calls_\d/;

beforeAll(async () => {
  upstream = await openFakeUpstream(json({ usage: { prompt_tokens: 1, completion_tokens: 1 } }));
  const vendor = { label: "Acme", base_url: upstream.origin, dialects: ["dialect_chat"] };
  const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  causeway = await startTestInstance({
    file: {
      vendors: { acme: { ...vendor, auth: "bearer", models: ["m1"] } },
      credits: {
        keys: { acme: "k" },
        catalog: [{ id: "sold", vendor: "acme", model: "m1", ...prices }],
      },
    },
    statementObserver: (sql) => {
      if (!background.test(sql)) statements.push(sql);
    },
  });
});
afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

it("a warm call that reserves money does one statement before it is made, and one after its answer", async () => {
  const user = await causeway.createUser();
  const credit = { token: causeway.adminToken, body: { amount_usd: 1 } };
  await causeway.call("POST", `/v1/admin/users/${user.id}/credits`, credit);
  const { secret: token } = await user.createKey({ budget: { limit_usd: 1, window: "day" } });
  const body = { model: "sold", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] };
  const post = () => causeway.call("POST", "/v1/chat/completions", { token, body });
  const settled = () => waitUntil(() => statements.some((sql) => sql.includes("causeway_settle")));
  await post();
  await settled();
  const callOnce = async () => {
    statements.length = 0;
    let before: readonly string[] = [];
    upstream.playOnce((response, request) => {
      before = [...statements];
      return json({ usage: { prompt_tokens: 1, completion_tokens: 1 } })(response, request);
    });
    expect((await post()).status).toBe(200);
    await settled();
    return { before, all: [...statements] };
  };
  // A transaction in the background may begin or end in the middle of one.
  await vi.waitFor(
    async () => {
      const { before, all } = await callOnce();
      expect(before).toEqual([expect.stringContaining("causeway_reserve")]);
      expect(all).toEqual([...before, expect.stringContaining("causeway_settle")]);
    },
    { timeout: 20_000 },
  );
});
