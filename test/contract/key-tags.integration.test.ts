import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;
let user: TestUser;

beforeAll(async () => {
  causeway = await startTestInstance();
  user = await causeway.createUser();
});

afterAll(() => causeway.close());

const make = (tags: unknown) =>
  causeway.call("POST", "/v1/keys", { token: user.session, body: { tags } });

const change = (id: string, tags: unknown) =>
  causeway.call("PATCH", `/v1/keys/${id}`, { token: user.session, body: { tags } });

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_none, index) => [`t${index}`, "x"]));

describe("tags of a key", () => {
  it("[tags.of-keys] are set when it is made, replaced whole, and taken away by an empty map", async () => {
    const { body } = await make({ project: "alpha", env: "a b" });
    expect(body.key.tags).toEqual({ project: "alpha", env: "a b" });
    const { id } = body.key;
    expect((await change(id, { team: "t" })).body.tags).toEqual({ team: "t" });
    const named = { token: user.session, body: { name: "ci" } };
    const renamed = await causeway.call("PATCH", `/v1/keys/${id}`, named);
    expect(renamed.body.tags).toEqual({ team: "t" });
    expect((await change(id, {})).body.tags).toEqual({});
  });

  it("may be made by the operator", async () => {
    const options = { token: causeway.adminToken, body: { tags: { project: "alpha" } } };
    const { body } = await causeway.call("POST", `/v1/admin/users/${user.id}/keys`, options);
    expect(body.key.tags).toEqual({ project: "alpha" });
  });

  it("stand in the audit log", async () => {
    const { body } = await make({ project: "alpha" });
    await change(body.key.id, { project: "beta" });
    const log = await causeway.call("GET", "/v1/audit?limit=100", { token: user.session });
    expect(log.body.data.at(-1)).toMatchObject({
      type: "key.updated",
      before: { tags: { project: "alpha" } },
      after: { tags: { project: "beta" } },
    });
  });

  it("[tags.of-keys] are at most ten", async () => {
    expect((await make(many(10))).status).toBe(201);
    expect(await make(many(11))).toMatchObject({ status: 400, body: { param: "tags" } });
  });

  it.each(["constructor", "__proto__", "a.b-c_1"])("may be named %s", async (name) => {
    const { body } = await make(Object.fromEntries([[name, "x"]]));
    expect(Object.entries(body.key.tags)).toEqual([[name, "x"]]);
  });

  it.each([
    ["tags.Project", { Project: "alpha" }],
    ["tags.", { "": "alpha" }],
    [`tags.${"n".repeat(41)}`, { ["n".repeat(41)]: "alpha" }],
    ["tags.project", { project: "" }],
    ["tags.project", { project: "a,b" }],
    ["tags.project", { project: "ä" }],
    ["tags.project", { project: "a\nb" }],
    ["tags.project", { project: "v".repeat(101) }],
    ["tags.project", { project: 1 }],
    ["tags", null],
    ["tags", "project=alpha"],
  ])("[tags.of-keys] refuses %s", async (param, tags) => {
    const { id } = (await make({})).body.key;
    expect(await change(id, tags)).toMatchObject({ status: 400, body: { param } });
  });
});
