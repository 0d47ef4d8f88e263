import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { json, openFakeUpstream, type FakeUpstream } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

type Upstream = FakeUpstream & { close(): Promise<void> };

let causeway: TestInstance;
let first: Upstream;
let second: Upstream;
let user: TestUser;
let key: string;

const choices = [
  { index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" },
];
const models = { object: "list", data: [{ id: "m", object: "model" }] };

/** Answers to calls with a status, and to probes as it should or not at all. */
function serving(status: number, isListing = true): Parameters<FakeUpstream["play"]>[0] {
  return (response, request) => {
    if (request.method === "POST") {
      return json({ id: "c", object: "chat.completion", choices }, status)(response, request);
    }
    return isListing ? json(models)(response, request) : response.destroy();
  };
}

beforeAll(async () => {
  [first, second] = [await openFakeUpstream(serving(200)), await openFakeUpstream(serving(200))];
  causeway = await startTestInstance();
});

afterAll(async () => {
  await causeway.close();
  await Promise.all([first.close(), second.close()]);
});

beforeEach(async () => {
  first.play(serving(200));
  user = await causeway.createUser();
  key = (await user.createKey()).secret;
  for (const [label, { origin }] of Object.entries({ first, second })) {
    const body = {
      label,
      base_url: `${origin}/v1`,
      api_key: `sk-${user.id}`,
      dialect: "dialect_chat",
    };
    const path = "/v1/upstreams";
    const { status } = await causeway.call("POST", path, { token: user.session, body });
    if (status !== 201) throw new Error(`The endpoint was not made: ${status}.`);
  }
  const targets = [
    { vendor: "custom/first", model_id: "m" },
    { vendor: "custom/second", model_id: "m" },
  ];
  const path = "/v1/aliases/pool";
  await causeway.call("PUT", path, { token: user.session, body: { targets } });
});

async function ask(times: number): Promise<void> {
  for (let made = 0; made < times; made++) {
    const body = { model: "@pool", messages: [] };
    const answer = await causeway.call("POST", "/v1/chat/completions", { token: key, body });
    expect(answer.status).toBe(200);
  }
}

async function health(): Promise<readonly Record<string, unknown>[]> {
  const { body } = await causeway.call("GET", "/v1/upstreams", { token: user.session });
  return body.data.map((upstream: { health: Record<string, unknown> }) => upstream.health);
}

/** Of the present account: others' endpoints may rest there, too. */
const probes = () =>
  first.requests.filter(
    ({ method, headers }) => method === "GET" && headers.authorization === `Bearer sk-${user.id}`,
  ).length;

describe("the health of a custom endpoint", () => {
  it("is ok where nothing is known against it", async () => {
    await ask(1);
    expect(await health()).toEqual([{ status: "ok" }, { status: "ok" }]);
  });

  it("[pool.health] says that it rests, since when and why", async () => {
    first.play(serving(503, false));
    await ask(6);
    expect(await health()).toEqual([
      { status: "resting", since: expect.stringMatching(/^\d{4}-.*Z$/), why: "failing" },
      { status: "ok" },
    ]);
  });

  it("says that it refused its credential", async () => {
    first.play(serving(401));
    await ask(1);
    expect((await health())[0]).toMatchObject({ status: "resting", why: "refused" });
  });

  it(
    "[pool.health] is asked for once in a rest, and ends the rest when it answers",
    { timeout: 20_000 },
    async () => {
      first.play(serving(503));
      const before = probes();
      await ask(6);
      expect((await health())[0]).toMatchObject({ status: "resting" });
      first.play(serving(200));
      await waitUntil(async () => (await health())[0]?.["status"] === "ok");
      expect(probes() - before).toBe(1);
      const calls = first.requests.length;
      await ask(1);
      expect(first.requests.length).toBe(calls + 1);
    },
  );
});
