/** What a PATCH changes, over REST and Connect. */
import { createClient, type Client } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { BudgetWindow } from "../../gen/ts/causeway/account/v1/key_pb.ts";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../support/test-instance.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;
let user: TestUser;
let client: Client<typeof AccountService>;

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["listed"]);
  causeway = await startTestInstance();
  user = await causeway.createUser();
  const transport = createConnectTransport({
    baseUrl: causeway.url,
    httpVersion: "1.1",
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${user.session}`);
        return next(request);
      },
    ],
  });
  client = createClient(AccountService, transport);
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

/** Everything that a key can be told. */
const settings = {
  name: "laptop",
  scopes: ["gateway:invoke", "teams:read"],
  route: "byo",
  mode: "agent",
  allowed_models: ["custom/*", "acme/*"],
  budget: { limit_usd: 5, window: "month" },
  rate_limit: { requests_per_minute: 30, burst: 5 },
  expires_at: "2036-11-20T23:00:00.000Z",
};

describe("PATCH of a key", () => {
  it("[patch.empty] changes nothing for {}", async () => {
    const key = await makeKey();
    expect(await patchKey(key.id, {})).toMatchObject({ status: 200, body: key });
  });

  it.each<[string, unknown]>([
    ["name", "desktop"],
    ["scopes", []],
    ["scopes", ["endpoints:write"]],
    ["route", "credits"],
    ["mode", "model"],
    ["allowed_models", []],
    ["allowed_models", ["one"]],
    ["rate_limit", { requests_per_minute: 60, burst: 60 }],
    ["expires_at", "2037-01-01T00:00:00.000Z"],
    ["budget", null],
    ["rate_limit", null],
    ["expires_at", null],
  ])("[patch.sent] [patch.null] changes %s to %j and nothing else", async (field, value) => {
    const key = await makeKey();
    const answer = await patchKey(key.id, { [field]: value });
    expect(answer).toMatchObject({ status: 200, body: { ...key, [field]: value } });
  });

  it.each<[string, Record<string, unknown>]>([
    ["budget", { limit_usd: 7.25 }],
    ["budget", { limit_usd: 0 }],
    ["budget", { window: "day" }],
    ["budget", {}],
    ["rate_limit", { requests_per_minute: 31 }],
    ["rate_limit", { burst: 6 }],
    ["rate_limit", { concurrent_requests: 3 }],
    ["rate_limit", {}],
  ])("[patch.merge] merges the members that are sent into %s: %j", async (field, part) => {
    const key = await makeKey();
    const merged = { ...settings[field as "budget"], ...part };
    const answer = await patchKey(key.id, { [field]: part });
    expect(answer).toMatchObject({ status: 200, body: { ...key, [field]: merged } });
    expect((await patchKey(key.id, {})).body).toMatchObject({ ...key, [field]: merged });
  });

  it.each<[string, Record<string, unknown>]>([
    ["budget.window", { budget: { limit_usd: 7 } }],
    ["budget.limit_usd", { budget: { window: "day" } }],
    ["rate_limit.burst", { rate_limit: { requests_per_minute: 7 } }],
    ["rate_limit.requests_per_minute", { rate_limit: { burst: 7 } }],
  ])(
    "[patch.merge] answers 400 and names %s where the key has nothing to merge %j with",
    async (param, body) => {
      const key = await makeKey();
      await patchKey(key.id, { budget: null, rate_limit: null });
      const refused = await patchKey(key.id, body);
      expect(refused).toMatchObject({ status: 400, body: { error: "invalid_request", param } });
      expect(refused.body.message).toContain("none to keep");
      expect((await patchKey(key.id, {})).body).toMatchObject({ budget: null, rate_limit: null });
    },
  );

  it.each<[string, Record<string, unknown>]>([
    ["budget.limit_usd", { budget: { limit_usd: -1 } }],
    ["budget.limit_usd", { budget: { limit_usd: 1_000_000_001 } }],
    ["budget.limit_usd", { budget: { limit_usd: 1.0000000001 } }],
    ["budget.limit_usd", { budget: { limit_usd: null } }],
    ["budget.window", { budget: { window: "week" } }],
    ["budget.window", { budget: { limit_usd: 1, window: null } }],
    ["budget.spent_usd", { budget: { spent_usd: 0 } }],
    ["budget", { budget: 5 }],
    ["rate_limit.burst", { rate_limit: { burst: 0 } }],
    ["rate_limit.burst", { rate_limit: { burst: 1.5 } }],
    ["rate_limit.burst", { rate_limit: { burst: null } }],
    ["rate_limit.concurrent_requests", { rate_limit: { concurrent_requests: 0 } }],
    ["rate_limit.concurrent_requests", { rate_limit: { concurrent_requests: 1_000_001 } }],
    ["rate_limit.requests_per_minute", { rate_limit: { requests_per_minute: 1_000_001 } }],
    ["rate_limit.per_day", { rate_limit: { per_day: 1 } }],
  ])("answers 400 and names the member %s of the part: %j", async (param, body) => {
    const key = await makeKey();
    expect(await patchKey(key.id, body)).toMatchObject({ status: 400, body: { param } });
    expect((await patchKey(key.id, {})).body).toEqual(key);
  });

  it("takes a key's own cap of calls away with null, and keeps its bucket", async () => {
    const key = await makeKey();
    await patchKey(key.id, { rate_limit: { concurrent_requests: 3 } });
    const cleared = await patchKey(key.id, { rate_limit: { concurrent_requests: null } });
    expect(cleared).toMatchObject({ status: 200 });
    expect(cleared.body).toEqual(key);
  });

  it.each(["name", "scopes", "route", "mode", "allowed_models"])(
    "[patch.null] cannot clear %s with null",
    async (field) => {
      const key = await makeKey();
      expect(await patchKey(key.id, { [field]: null })).toMatchObject({
        status: 400,
        body: { param: field },
      });
    },
  );

  it.each(["id", "prefix", "user_id", "created_at", "update_mask"])(
    "does not know %s",
    async (field) => {
      const { id } = await makeKey();
      expect(await patchKey(id, { [field]: "x" })).toMatchObject({
        status: 400,
        body: { param: field },
      });
    },
  );

  it("changes nothing at all when one value is bad", async () => {
    const key = await makeKey();
    await patchKey(key.id, { name: "desktop", route: "free" });
    expect(await patchKey(key.id, {})).toMatchObject({ body: key });
  });

  it("takes application/merge-patch+json", async () => {
    const { id } = await makeKey();
    const headers = { "content-type": "application/merge-patch+json" };
    const body = { name: "merged" };
    const answer = await causeway.call("PATCH", `/v1/keys/${id}`, {
      token: user.session,
      headers,
      body,
    });
    expect(answer).toMatchObject({ status: 200, body });
  });
});

describe("PATCH over Connect", () => {
  it("[patch.mask] changes what the mask names, and clears what it names and the message lacks", async () => {
    const { id } = await makeKey();
    const changed = await client.updateKey({
      id,
      name: "not in the mask",
      scopes: [],
      updateMask: { paths: ["scopes", "budget"] },
    });
    expect(changed).toMatchObject({ name: "laptop", scopes: [] });
    expect(changed.budget).toBeUndefined();
    expect(changed.rateLimit).toMatchObject({ burst: 5 });
  });

  it("[patch.mask] changes every field that is set where no mask is sent", async () => {
    const { id } = await makeKey();
    const budget = { limitUsd: 7, window: BudgetWindow.DAY };
    const changed = await client.updateKey({ id, name: "set", budget });
    expect(changed).toMatchObject({ name: "set", budget: { limitUsd: 7 } });
    expect(changed.scopes).toHaveLength(2);
  });
});

describe("PATCH of an object over Connect", () => {
  it("replaces it whole under its own name, and one member under the member's", async () => {
    const { id } = await makeKey();
    const member = await client.updateKey({
      id,
      budget: { limitUsd: 7, window: BudgetWindow.DAY },
      updateMask: { paths: ["budget.limit_usd"] },
    });
    expect(member.budget).toMatchObject({ limitUsd: 7, window: BudgetWindow.MONTH });
    const updateMask = { paths: ["rate_limit.concurrent_requests"] };
    const capped = await client.updateKey({ id, rateLimit: { concurrentRequests: 9 }, updateMask });
    expect(capped.rateLimit).toMatchObject({ burst: 5, concurrentRequests: 9 });
    const cleared = await client.updateKey({ id, updateMask });
    expect(cleared.rateLimit).toMatchObject({ burst: 5 });
    expect(cleared.rateLimit?.concurrentRequests).toBeUndefined();
    const half = client.updateKey({ id, rateLimit: { burst: 3 } });
    await expect(half).rejects.toThrow("`rate_limit.requests_per_minute`");
    const unknown = client.updateKey({ id, updateMask: { paths: ["budget.spent_usd"] } });
    await expect(unknown).rejects.toThrow("`budget.spent_usd`");
  });
});

describe("PATCH of an endpoint", () => {
  it("[endpoints.patch-body] [probe.patch-models] [patch.whole] replaces lists and maps whole", async () => {
    const slug = await makeUpstream();
    await patchUpstream(slug, { models: ["a", "b"], model_names: { a: "A", b: "B" } });
    const answer = await patchUpstream(slug, { models: ["c"], model_names: { c: "C" } });
    expect(answer.body.upstream).toMatchObject({ models: ["c"], model_names: { c: "C" } });
    expect(Object.keys(answer.body.upstream.model_names)).toEqual(["c"]);
  });

  it("[probe.patch] carries the last probe and makes none where the dial stays the same", async () => {
    const slug = await makeUpstream();
    const before = (await patchUpstream(slug, {})).body.probe;
    const answer = await patchUpstream(slug, { label: "Renamed", models: ["x"] });
    expect(answer.body.probe).toEqual(before);
    expect(answer.body.upstream).toMatchObject({ slug, label: "Renamed", models: ["x"] });
  });

  it.each<[string, unknown]>([
    ["api_key", "sk-other"],
    ["dialect", "dialect_messages"],
    ["dialect", "dialect_responses"],
    ["headers", { "x-team": "blue" }],
  ])("[probe.again] probes again for another %s", async (field, value) => {
    const slug = await makeUpstream();
    const before = (await patchUpstream(slug, {})).body.probe;
    const { body } = await patchUpstream(slug, { models: [], [field]: value });
    expect(body.probe.at).not.toBe(before.at);
    expect(body.upstream.models).toEqual(["listed"]);
  });

  it.each(["label", "dialect", "api_key", "models", "model_names", "headers", "base_url", "slug"])(
    "[input.null] [patch.null] refuses null for %s",
    async (field) => {
      const answer = await patchUpstream(await makeUpstream(), { [field]: null });
      expect(answer).toMatchObject({ status: 400, body: { param: field } });
    },
  );

  it("[endpoints.patch-dialect] [upstream.dialect] does not take auto for a dialect, nor another base_url", async () => {
    const slug = await makeUpstream();
    for (const [param, value] of [
      ["dialect", "auto"],
      ["base_url", "http://127.0.0.1:1"],
    ] as const) {
      expect(await patchUpstream(slug, { [param]: value })).toMatchObject({
        status: 400,
        body: { param },
      });
    }
  });
});

describe("PATCH of a user", () => {
  it("disables and enables, and changes nothing for {}", async () => {
    const { id } = await causeway.createUser();
    expect((await patchUser(id, { disabled: true })).body.disabled_at).toMatch(/Z$/);
    expect((await patchUser(id, {})).body.disabled_at).toMatch(/Z$/);
    expect((await patchUser(id, { disabled: false })).body.disabled_at).toBeNull();
    expect(await patchUser(id, { disabled: null })).toMatchObject({
      status: 400,
      body: { param: "disabled" },
    });
  });
});

async function makeKey(): Promise<{ readonly id: string }> {
  const { body } = await causeway.call("POST", "/v1/keys", { token: user.session, body: settings });
  return body.key;
}

function patchKey(id: string, body: unknown): Promise<RestAnswer> {
  return causeway.call("PATCH", `/v1/keys/${id}`, { token: user.session, body });
}

async function makeUpstream(): Promise<string> {
  const body = { label: "Local", base_url: upstream.baseUrl, api_key: "sk-local" };
  const answer = await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  return answer.body.upstream.slug as string;
}

function patchUpstream(slug: string, body: unknown): Promise<RestAnswer> {
  return causeway.call("PATCH", `/v1/upstreams/${slug}`, { token: user.session, body });
}

function patchUser(id: string, body: unknown): Promise<RestAnswer> {
  return causeway.call("PATCH", `/v1/admin/users/${id}`, { token: causeway.adminToken, body });
}
