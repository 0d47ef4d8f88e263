import { describe, expect, test } from "vitest";
import { deleteExpiredAccountData } from "../../src/account/delete-expired-account-data.ts";
import { IdempotencyStore } from "../../src/account/idempotency-store.ts";
import type { IdempotencyState } from "../../src/platform/idempotency.ts";
import { useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const { box, clock, fork } = fixture;
const store = new IdempotencyStore({ fork, box, clock });
const response = new TextEncoder().encode("an answer with 8 secret bytes");
let keys = 0;

function newUse() {
  keys += 1;
  return {
    accountId: "user_i",
    route: "causeway.admin.v1.AdminService/CreateUser",
    key: `key ${keys.toString()}`,
    bodyHash: "hash",
  };
}

function attemptOf(state: IdempotencyState) {
  if (state.kind !== "started") throw new Error(`not started but ${state.kind}`);
  return state.attempt;
}

describe("IdempotencyStore", () => {
  test("of parallel uses one starts, and all get its answer afterwards", async () => {
    const use = newUse();
    const states = await Promise.all(Array.from({ length: 8 }, () => store.begin(use)));
    const kinds = states.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual([...Array.from({ length: 7 }, () => "running"), "started"]);
    const started = states.find(({ kind }) => kind === "started");
    if (started !== undefined) await attemptOf(started).complete(response);
    const state = await store.begin(use);
    expect(state.kind === "completed" && Buffer.from(state.response)).toEqual(
      Buffer.from(response),
    );
  });

  test("another body is told apart, running or not", async () => {
    const use = newUse();
    const attempt = attemptOf(await store.begin(use));
    const other = { ...use, bodyHash: "other" };
    expect(await store.begin(other)).toEqual({ kind: "other_body" });
    await attempt.complete(response);
    expect(await store.begin(other)).toEqual({ kind: "other_body" });
  });

  test("accounts and routes do not share keys", async () => {
    const use = newUse();
    await store.begin(use);
    for (const other of [
      { ...use, accountId: "user_j" },
      { ...use, route: "causeway.team.v1.TeamService/CreateTeam" },
    ]) {
      expect(await store.begin(other)).toMatchObject({ kind: "started" });
    }
  });

  test("a refused call frees its key", async () => {
    const use = newUse();
    await attemptOf(await store.begin(use)).abandon();
    expect(await store.begin({ ...use, bodyHash: "other" })).toMatchObject({ kind: "started" });
  });

  test("an attempt of a process that died may be repeated, and loses its say", async () => {
    const use = newUse();
    const dead = attemptOf(await store.begin(use));
    clock.advance(3 * 60_000 - 1);
    expect(await store.begin(use)).toEqual({ kind: "running" });
    clock.advance(1);
    expect(await store.begin({ ...use, bodyHash: "other" })).toEqual({ kind: "other_body" });
    const living = attemptOf(await store.begin(use));
    await dead.complete(new TextEncoder().encode("from the dead"));
    await dead.abandon();
    expect(await store.begin(use)).toEqual({ kind: "running" });
    await living.complete(response);
    expect(await store.begin(use)).toMatchObject({ kind: "completed" });
  });

  test("[idempotency.kept] answers are kept sealed, for 24 hours", async () => {
    const use = newUse();
    await attemptOf(await store.begin(use)).complete(response);
    const rows = await fork().execute("select response from idempotency_records");
    const text = JSON.stringify(rows);
    expect(text).not.toContain("secret");
    expect(text).not.toContain(Buffer.from(response).toString("base64").slice(0, 12));
    clock.advance(24 * 60 * 60_000 - 1);
    await deleteExpiredAccountData(fork(), clock.now());
    expect(await store.begin(use)).toMatchObject({ kind: "completed" });
    clock.advance(1);
    expect(await store.begin(use)).toMatchObject({ kind: "started" });
    clock.advance(24 * 60 * 60_000);
    await deleteExpiredAccountData(fork(), clock.now());
    const left = await fork().execute<{ count: string }[]>(
      "select count(*) as count from idempotency_records",
    );
    expect(Number(left[0]?.count)).toBe(0);
  });
});
