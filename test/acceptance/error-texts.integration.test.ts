import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;
let user: TestUser;

beforeAll(async () => {
  causeway = await startTestInstance();
  user = await causeway.createUser();
});

afterAll(() => causeway.close());

const whole = "`limit` must be a whole number from 1 to 100.";
const within =
  "`limit` is invalid: must be greater than or equal to 1 and less than or equal to 100.";
it.each([
  ["1.5", whole],
  ["ten", whole],
  ["", whole],
  ["99999999999999", whole],
  ["0", within],
  ["101", within],
])("names the limits of a page for the query limit=%s", async (limit, message) => {
  const { session: token } = user;
  const answer = await causeway.call("GET", `/v1/keys?limit=${limit}`, { token });
  expect(answer.body).toMatchObject({
    error: "invalid_request",
    param: "limit",
    message,
  });
});

it("tells the operator of no account", async () => {
  const { adminToken: token } = causeway;
  const missing = "user_00000000000000000000000000";
  for (const [method, path, what] of [
    ["DELETE", `/v1/admin/users/${missing}`, "user"],
    ["PATCH", `/v1/admin/users/${missing}`, "user"],
    ["GET", `/v1/admin/users/${missing}/keys`, "user"],
    ["POST", `/v1/admin/users/${missing}/sessions`, "user"],
    ["DELETE", `/v1/admin/users/${user.id}/keys/key_00000000000000000000000000`, "key"],
    ["PUT", `/v1/admin/teams/team_00000000000000000000000000/owners/${user.id}`, "team"],
  ] as const) {
    const body = method === "PATCH" ? {} : undefined;
    const answer = await causeway.call(method, path, { token, body });
    expect([path, answer.status, answer.body.message]).toEqual([
      path,
      404,
      `There is no such ${what}.`,
    ]);
  }
});

/** What a stranger reads when a value of an endpoint is refused. */
it.each(["auto", "DIALECT_CHAT"])(
  "names the dialects that a custom endpoint can be changed to, for %s",
  async (dialect) => {
    const { session: token } = user;
    const answer = await causeway.call("PATCH", "/v1/upstreams/any", { token, body: { dialect } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: "invalid_request",
      param: "dialect",
      message: "`dialect` must be one of `dialect_chat`, `dialect_messages`, `dialect_responses`.",
    });
  },
);
