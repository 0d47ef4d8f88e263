import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;
let user: TestUser;

beforeAll(async () => {
  causeway = await startTestInstance();
  user = await causeway.createUser();
});

afterAll(() => causeway.close());

/** What a stranger reads when a value of an endpoint is refused. */
it.each(["dialect_responses", "auto", "DIALECT_CHAT"])(
  "names the dialects that a custom endpoint can be changed to, for %s",
  async (dialect) => {
    const { session: token } = user;
    const answer = await causeway.call("PATCH", "/v1/upstreams/any", { token, body: { dialect } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: "invalid_request",
      param: "dialect",
      message: "`dialect` must be one of `dialect_chat`, `dialect_messages`.",
    });
  },
);
