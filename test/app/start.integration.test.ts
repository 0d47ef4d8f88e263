import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

describe("a started instance", () => {
  it.each(["/healthz", "/readyz", "/metrics"])("answers %s on both ports", async (path) => {
    for (const url of [causeway.url, causeway.toolsUrl]) {
      expect((await causeway.call("GET", url + path)).status).toBe(200);
    }
  });

  it("tells at the place that `byo_url` leads to what can be done", async () => {
    const page = await fetch(`${causeway.url}/docs/errors`);
    const text = await page.text();
    const entry = text.slice(text.indexOf('id="byo_url"'), text.indexOf('id="insufficient_scope"'));
    expect(entry).toContain("PUT /v1/vendors/{vendor}/credential");
    expect(entry).not.toContain("Open <code>byo_url");
  });

  it("makes users, sessions and keys, and lets them in", async () => {
    const email = "ada@started-instance.example";
    const user = await causeway.createUser(email);
    const me = await causeway.call("GET", "/v1/me", { token: user.session });
    expect(me).toMatchObject({ status: 200, body: { object: "user", email } });
    const key = await user.createKey({ scopes: ["endpoints:read"] });
    expect((await causeway.call("GET", "/v1/upstreams", { token: key.secret })).status).toBe(200);
  });
});
