import { beforeAll, describe, expect, it } from "vitest";
import { execute } from "../support/test-database.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;
let user: TestUser;

beforeAll(async () => {
  causeway = await startTestInstance();
});

const alias = (method: string, token: string, body?: unknown) =>
  causeway.call(method, `/v1/aliases/${token}`, { token: user.session, body });

/** Gives a new user aliases a1, a2 and so on, with the revisions 1, 2 and so on. */
async function createUserWithAliases(count: number, deletedAt: "null" | "now()"): Promise<void> {
  user = await causeway.createUser();
  await execute(
    causeway.connectionString,
    `insert into aliases (account_id, token, vendor, custody, rev, updated_at, deleted_at)
     select '${user.id}', 'a' || n, 'openai', 'envelope', n, now(), ${deletedAt}
     from generate_series(1, ${count}) n;
     insert into alias_revisions (account_id, rev) values ('${user.id}', ${count})`,
  );
}

describe("an account with 1000 aliases", () => {
  beforeAll(() => createUserWithAliases(1000, "null"));

  it("may replace one, and create one only after it deleted another", async () => {
    const openai = { vendor: "openai" };
    expect(await alias("PUT", "a1", openai)).toMatchObject({ status: 200 });
    expect(await alias("PUT", "new", openai)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: "token" },
    });
    await alias("DELETE", "a2");
    expect(await alias("PUT", "new", openai)).toMatchObject({ status: 200 });
    expect(await alias("PUT", "a2", openai)).toMatchObject({ status: 400 });
  });
});

describe("an account that deleted 5000 aliases", () => {
  beforeAll(() => createUserWithAliases(5000, "now()"));

  it("has the last 5000 in its changes after it deleted another", async () => {
    await alias("PUT", "last", { vendor: "openai" });
    await alias("DELETE", "last");
    const { body } = await causeway.call("GET", "/v1/aliases/changes?after_rev=0", {
      token: user.session,
    });
    expect(body.changes).toHaveLength(5000);
    expect(body.changes[0]).toMatchObject({ token: "a2", deleted: true });
    expect(body.changes.at(-1)).toMatchObject({ token: "last", deleted: true });
  });
});
