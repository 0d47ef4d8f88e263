import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newResourceId } from "../../src/platform/ids.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { insertTeam } from "../support/team-rows.ts";
import { openCallWriter, type CallFields, type CallWriter } from "./call-writer.ts";

let causeway: TestInstance;
let writer: CallWriter;

beforeAll(async () => {
  causeway = await startTestInstance();
  writer = await openCallWriter(causeway.connectionString);
});

afterAll(async () => {
  await writer.close();
  await causeway.close();
});

/** Somebody with a key, whose calls can be kept. */
async function caller() {
  const user = await causeway.createUser();
  const { id: keyId, secret: token } = await user.createKey({ scopes: [] });
  const keep = (...calls: readonly Partial<CallFields>[]) =>
    writer.keep(...calls.map((call) => ({ accountId: user.id, keyId, ...call })));
  return { user, keyId, token, keep };
}

const get = (token: string, path: string) => causeway.call("GET", path, { token });
const list = async (token: string, query = "") => (await get(token, `/v1/calls${query}`)).body;
const idsOf = async (token: string, query = "") =>
  (await list(token, query)).data.map(({ id }: { id: string }) => id);

const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;

describe("GET /v1/calls", () => {
  it("[calls.turn] shows all of a call but bodies, headers and addresses", async () => {
    const { token, keyId, keep } = await caller();
    const call = await keep({
      dialect: "messages",
      operation: "createMessage",
      model: "acme/large",
      target: "bolt/large",
      lane: "transcode",
      isStream: true,
      errorCode: "upstream_incomplete",
      attempts: [
        { target: "acme/large", status: 503, failure: undefined, ms: 12.6 },
        { target: "bolt/large", status: undefined, failure: "connect", ms: 3 },
      ],
      skipped: [{ target: "custom/mine/m", reason: "resting" }],
      warnings: ["top_k;dropped;unknown"],
      ms: 1234.5,
      firstByteMs: 99.5,
      tags: { project: "alpha" },
      turn: "turn_1",
      isRepeated: true,
      use: {
        inputTokens: 9,
        cachedInputTokens: 4,
        outputTokens: 3,
        isEstimated: true,
        raw: undefined,
      },
    });
    expect((await get(token, "/v1/calls")).body.data).toEqual([
      {
        id: call.id,
        object: "call",
        at: new Date(call.endedAt).toISOString(),
        request_id: call.requestId,
        key_id: keyId,
        dialect: "messages",
        operation: "createMessage",
        model: "acme/large",
        target: "bolt/large",
        route: "byo",
        lane: "transcode",
        stream: true,
        status: 200,
        error_code: "upstream_incomplete",
        attempts: [
          { target: "acme/large", status: 503, failure: null, ms: 13 },
          { target: "bolt/large", status: null, failure: "connect", ms: 3 },
        ],
        skipped: [{ target: "custom/mine/m", reason: "resting" }],
        ms: 1235,
        first_byte_ms: 100,
        input_tokens: 9,
        cached_input_tokens: 4,
        output_tokens: 3,
        cost_usd: 0,
        estimated: true,
        repeated: true,
        warnings: ["top_k;dropped;unknown"],
        tags: { project: "alpha" },
        turn: "turn_1",
      },
    ]);
  });

  it("shows the only dial of a call", async () => {
    const { token, keep } = await caller();
    const { id } = await keep({});
    const { attempts } = (await get(token, `/v1/calls/${id}`)).body;
    expect(attempts).toEqual([{ target: "acme/large", status: 200, failure: null, ms: 18 }]);
  });

  it("[calls.unanswered] shows a call that was refused before its model was known, with nothing used", async () => {
    const { token, keep } = await caller();
    const nowhere = { model: undefined, target: undefined, route: undefined, lane: undefined };
    const none = { attempts: [], use: undefined, firstByteMs: undefined };
    const { id } = await keep({ ...nowhere, ...none, status: 400, errorCode: "invalid_request" });
    const { body } = await get(token, `/v1/calls/${id}`);
    expect(body).toMatchObject({ model: null, target: null, route: null, lane: null });
    expect(body).toMatchObject({ attempts: [], skipped: [], warnings: [], tags: {} });
    expect(body).toMatchObject({ input_tokens: 0, output_tokens: 0, cost_usd: 0 });
    expect(body).toMatchObject({ status: 400, first_byte_ms: null, estimated: false });
    expect(body).not.toHaveProperty("turn");
    expect(body).not.toHaveProperty("account_id");
  });

  it("[calls.list] lists the call that ended last first, in pages of either direction", async () => {
    const { token, keep } = await caller();
    // Two in the same millisecond, and two on other days.
    const ended = [minutesAgo(3000), minutesAgo(1500), minutesAgo(5), minutesAgo(5), minutesAgo(1)];
    const last = ended.map((endedAt) => ({ endedAt, id: newResourceId("call", endedAt) }));
    await keep(...last);
    const all = await idsOf(token);
    const sorted = last.toSorted((a, b) => b.endedAt - a.endedAt || (a.id < b.id ? 1 : -1));
    expect(all).toEqual(sorted.map(({ id }) => id));
    const first = await list(token, "?limit=2");
    expect(first).toMatchObject({ object: "list", has_more: true, last_id: all[1] });
    const second = await list(token, `?limit=2&after_id=${all[1]}`);
    expect(second).toMatchObject({ has_more: true, first_id: all[2], last_id: all[3] });
    const third = await list(token, `?limit=2&after_id=${all[3]}`);
    expect(third).toMatchObject({ has_more: false, first_id: all[4], last_id: all[4] });
    const before = await list(token, `?limit=2&before_id=${all[4]}`);
    expect(before).toMatchObject({ has_more: true, first_id: all[2], last_id: all[3] });
  });

  it("[calls.filters] finds calls by each of its conditions, and by several at once", async () => {
    const { user, token, keep } = await caller();
    const other = await user.createKey();
    const alpha = { project: "alpha", env: "a:b c" };
    const small = await keep({ model: "acme/small", endedAt: minutesAgo(4), tags: alpha });
    const late = await keep({ status: 504, errorCode: "upstream_timeout", endedAt: minutesAgo(3) });
    const plain = await keep({ endedAt: minutesAgo(2), tags: { project: "alphabet" } });
    const its = await keep({ keyId: other.id, endedAt: minutesAgo(1) });
    const { session } = user;
    const found = (query: string) => idsOf(session, `?${query}`);
    expect(await found("model=acme/small")).toEqual([small.id]);
    expect(await found(`key_id=${other.id}`)).toEqual([its.id]);
    expect(await found("status=504")).toEqual([late.id]);
    expect(await found("status=200")).toEqual([its.id, plain.id, small.id]);
    expect(await found("error_code=upstream_timeout")).toEqual([late.id]);
    expect(await found("tag=project:alpha")).toEqual([small.id]);
    expect(await found("tag=env:a:b%20c")).toEqual([small.id]);
    expect(await found("tag=env:a")).toEqual([]);
    const from = new Date(late.endedAt).toISOString();
    const to = new Date(plain.endedAt).toISOString();
    expect(await found(`from=${from}&to=${to}`)).toEqual([late.id]);
    expect(await found("to=2020-01-01")).toEqual([]);
    expect(await found("from=2020-01-01&status=200&tag=project:alphabet")).toEqual([plain.id]);
    expect(await idsOf(token, `?key_id=${other.id}`)).toEqual([]);
    expect(await found("model=acme/small&status=504")).toEqual([]);
  });

  it("takes every value that a tag may have, and every time, as it is", async () => {
    const { token, keep } = await caller();
    const odd = String.raw`a"b\'{}?:$1 %`;
    const call = await keep({ model: `m'"?`, tags: { odd } });
    expect(await idsOf(token, `?tag=${encodeURIComponent(`odd:${odd}`)}`)).toEqual([call.id]);
    expect(await idsOf(token, `?model=${encodeURIComponent(`m'"?`)}`)).toEqual([call.id]);
    expect(await idsOf(token, "?from=0000-01-01&to=9999-12-31")).toEqual([call.id]);
    expect(await idsOf(token, "?to=0000-01-01")).toEqual([]);
  });

  it("takes an id that a condition leaves out as a cursor all the same", async () => {
    const { token, keep } = await caller();
    const old = await keep({ endedAt: minutesAgo(3), model: "acme/small" });
    const middle = await keep({ endedAt: minutesAgo(2) });
    await keep({ endedAt: minutesAgo(1), model: "acme/small" });
    expect(await idsOf(token, `?model=acme/small&after_id=${middle.id}`)).toEqual([old.id]);
  });

  it.each([
    ["from", "yesterday"],
    ["from", "2026-13-45"],
    ["to", "2026-11-20T25:00:00Z"],
    ["model", ""],
    ["model", "m".repeat(301)],
    ["key_id", ""],
    ["status", "99"],
    ["status", "600"],
    ["status", "ok"],
    ["error_code", "No such"],
    ["tag", "project"],
    ["tag", "Project:alpha"],
    ["tag", "project:"],
    ["tag", "project:a,b"],
    ["tag", `project:${"a".repeat(101)}`],
    ["limit", "0"],
    ["limit", "101"],
    ["after_id", "call_00000000000000000000000000x"],
    ["after_id", `call_${"z".repeat(26)}`],
    ["before_id", `call_${"z".repeat(26)}`],
    ["before_id", "nothing"],
  ])("[calls.filters] refuses %s=%s with its param", async (param, value) => {
    const { token } = await caller();
    const answer = await get(token, `/v1/calls?${param}=${encodeURIComponent(value)}`);
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request", param } });
  });

  it("has no call by an id whose time cannot be", async () => {
    const { token } = await caller();
    const answer = await get(token, `/v1/calls/call_${"z".repeat(26)}`);
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  it("refuses a cursor of somebody else, and one that was never given", async () => {
    const [one, two] = [await caller(), await caller()];
    const call = await one.keep({});
    for (const id of [call.id, newResourceId("call")]) {
      const answer = await get(two.token, `/v1/calls?after_id=${id}`);
      expect(answer).toMatchObject({ status: 400, body: { param: "after_id" } });
    }
  });
});

describe("whose calls are shown", () => {
  it("[calls.own] to a key its own, to a session those of all keys of the account", async () => {
    const { user, token, keep } = await caller();
    const other = await user.createKey({ scopes: [] });
    const own = await keep({ endedAt: minutesAgo(2) });
    const its = await keep({ keyId: other.id, endedAt: minutesAgo(1) });
    expect(await idsOf(token)).toEqual([own.id]);
    expect(await idsOf(other.secret)).toEqual([its.id]);
    expect(await idsOf(user.session)).toEqual([its.id, own.id]);
    expect((await get(token, `/v1/calls/${its.id}`)).status).toBe(404);
    expect((await get(user.session, `/v1/calls/${its.id}`)).body).toMatchObject({ id: its.id });
    const stranger = await causeway.createUser();
    expect(await idsOf(stranger.session)).toEqual([]);
    expect((await get(stranger.session, `/v1/calls/${own.id}`)).status).toBe(404);
  });

  it("[calls.team] of a team to its owners and admins, and to its keys their own", async () => {
    const [owner, admin, member] = [
      await causeway.createUser(),
      await causeway.createUser(),
      await causeway.createUser(),
    ];
    const teamId = await insertTeam(causeway.connectionString, [
      { userId: owner.id, role: "owner" },
      { userId: admin.id, role: "admin" },
      { userId: member.id, role: "member" },
    ]);
    const key = await owner.createKey({ team_id: teamId, scopes: [] });
    const call = await writer.keep({ accountId: teamId, keyId: key.id });
    const path = `/v1/calls?team_id=${teamId}`;
    for (const { session } of [owner, admin]) {
      expect((await get(session, path)).body.data).toMatchObject([{ id: call.id }]);
      expect((await get(session, `/v1/calls/${call.id}`)).status).toBe(200);
      expect(await idsOf(session)).toEqual([]);
    }
    expect((await get(member.session, path)).body).toMatchObject({ error: "insufficient_scope" });
    expect((await get(member.session, `/v1/calls/${call.id}`)).status).toBe(404);
    const { session } = await causeway.createUser();
    expect((await get(session, path)).status).toBe(404);
    expect(await idsOf(key.secret)).toEqual([call.id]);
    const answer = await get(key.secret, path);
    expect(answer).toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
  });

  it("[calls.operator] of everybody to the operator, with the account, or of one account", async () => {
    const [one, two] = [await caller(), await caller()];
    const first = await one.keep({ endedAt: minutesAgo(2), tags: { run: one.keyId } });
    const second = await two.keep({ endedAt: minutesAgo(1), tags: { run: one.keyId } });
    const ask = (query: string) => get(causeway.adminToken, `/v1/admin/calls?${query}`);
    const { body } = await ask(`tag=run:${one.keyId}`);
    expect(body).toMatchObject({ object: "list", first_id: second.id, last_id: first.id });
    expect(body.data).toMatchObject([{ account_id: two.user.id }, { account_id: one.user.id }]);
    const ofOne = (await ask(`account_id=${one.user.id}`)).body.data;
    expect(ofOne).toMatchObject([{ id: first.id }]);
    const tagged = (await ask(`account_id=${one.user.id}&tag=run:${one.keyId}`)).body.data;
    expect(tagged).toMatchObject([{ id: first.id }]);
    expect(await ask("account_id=")).toMatchObject({ status: 400, body: { param: "account_id" } });
    expect(await ask("status=1")).toMatchObject({ status: 400, body: { param: "status" } });
  });

  it("to nobody when the account is gone", async () => {
    const owner: TestUser = await causeway.createUser();
    const created = { token: owner.session, body: { name: "Crew" } };
    const { id: teamId } = (await causeway.call("POST", "/v1/teams", created)).body;
    await writer.keep({ accountId: teamId, keyId: "key_1" });
    await causeway.call("DELETE", `/v1/teams/${teamId}`, { token: owner.session });
    const path = `/v1/admin/calls?account_id=${teamId}`;
    expect((await get(causeway.adminToken, path)).body.data).toEqual([]);
  });
});
