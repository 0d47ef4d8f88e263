/** The operator API from outside. */
import { describe, expect, it, onTestFinished, beforeAll, afterAll } from "vitest";
import { AdminService } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { readRestRules } from "../../src/contract/rest-rule.ts";
import { startTestInstance, type RestAnswer, type TestInstance } from "../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance({ own: true });
});

afterAll(() => causeway.close());

describe("without an operator token", () => {
  it("[environment.operator-off] every operation of the operator is 404, whoever asks", async () => {
    const off = await startTestInstance({ environment: { CAUSEWAY_ADMIN_TOKEN: "" } });
    onTestFinished(() => off.close());
    for (const { httpMethod, template } of AdminService.methods.flatMap(readRestRules)) {
      const path = template.replaceAll(/\{\w+\}/g, "x");
      for (const token of [undefined, "", "cwa_guess", "cws_guess"]) {
        const answer = await off.call(httpMethod, path, { token });
        expect([path, token, answer.status]).toEqual([path, token, 404]);
        expect(answer.body.error).toBe("not_found");
      }
    }
    expect((await off.call("GET", "/v1/me")).status).toBe(401);
  });
});

describe("users", () => {
  it("[identity.ids] [shape.user] are made with 201 and every field of the contract", async () => {
    const body = { email: " Ada.Lovelace@Example.org ", name: " Ada " };
    const answer = await asOperator("POST", "/v1/admin/users", body);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^user_[0-9a-z]{26}$/),
      object: "user",
      email: expect.stringMatching(/^ada\.lovelace@example\.org$/i),
      name: "Ada",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      disabled_at: null,
    });
  });

  it.each(["ada@known.example", "ADA@Known.Example", " ada@known.example "])(
    "[operations.known-address] of a known address are 409: %j",
    async (email) => {
      await asOperator("POST", "/v1/admin/users", { email: "ada@known.example" });
      const answer = await asOperator("POST", "/v1/admin/users", { email });
      expect(answer).toMatchObject({ status: 409, body: { error: "conflict" } });
    },
  );

  it.each(["ada+tag@dots.example", "a.da@dots.example"])(
    "of an address with another dot or plus are others: %s",
    async (email) => {
      await asOperator("POST", "/v1/admin/users", { email: "ada@dots.example" });
      expect((await asOperator("POST", "/v1/admin/users", { email })).status).toBe(201);
    },
  );

  it("that are deleted answer with their id, and are gone", async () => {
    const { id, session: token } = await causeway.createUser();
    const path = `/v1/admin/users/${id}`;
    const deleted = await asOperator("DELETE", path);
    expect(deleted).toMatchObject({ status: 200, body: { id, object: "user", deleted: true } });
    expect(await asOperator("DELETE", path)).toMatchObject({ status: 404 });
    expect(await asOperator("POST", `${path}/sessions`)).toMatchObject({ status: 404 });
    expect(await causeway.call("GET", "/v1/me", { token })).toMatchObject({ status: 401 });
  });

  it("that are disabled get no session", async () => {
    const { id } = await causeway.createUser();
    await asOperator("PATCH", `/v1/admin/users/${id}`, { disabled: true });
    const answer = await asOperator("POST", `/v1/admin/users/${id}/sessions`);
    expect(answer).toMatchObject({ status: 409, body: { error: "conflict" } });
  });

  it("get sessions with 201", async () => {
    const { id } = await causeway.createUser();
    const answer = await asOperator("POST", `/v1/admin/users/${id}/sessions`);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ token: expect.stringMatching(/^cws_[0-9A-Za-z]{49}$/) });
  });
});

describe("the audit log of the operator", () => {
  it("holds the changes of every account, told apart from a person's own", async () => {
    const user = await causeway.createUser();
    await user.createKey();
    const own = await causeway.call("GET", "/v1/audit", { token: user.session });
    const all = await asOperator("GET", "/v1/admin/audit?limit=100");
    expect(all.body.data.length).toBeGreaterThan(own.body.data.length);
    expect(all.body.data).toEqual(expect.arrayContaining(own.body.data));
    const types = own.body.data.map(({ type }: { type: string }) => type);
    expect(types).toEqual(["user.created", "session.created", "key.created"]);
  });
});

function asOperator(method: string, path: string, body?: unknown): Promise<RestAnswer> {
  return causeway.call(method, path, { token: causeway.adminToken, body });
}
