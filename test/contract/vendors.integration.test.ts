/** Vendors that the configuration file defines, and their credentials. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
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

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["m1", "m2"]);
  const base_url = upstream.baseUrl;
  causeway = await startTestInstance({
    // Base addresses of the file need no entry of their own in the allow-list.
    environment: { CAUSEWAY_UPSTREAM_ALLOW: "" },
    file: {
      vendors: {
        code: { label: "Code", base_url, dialects: ["dialect_responses"], auth: "login" },
        acme: { label: "Acme", base_url, dialects: ["dialect_chat"], auth: "bearer" },
      },
    },
  });
});

beforeEach(async () => {
  user = await causeway.createUser();
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

describe("GET /v1/vendors", () => {
  it("[shape.vendor] [identity.never-returned] shows each vendor, linked or not, and no credential", async () => {
    await link("acme", { api_key: "sk-secret" });
    const { body } = await causeway.call("GET", "/v1/vendors?limit=100", { token: user.session });
    // The built-in ones are listed with those of the file, all by their ids.
    const ids: string[] = body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(ids).toEqual(expect.arrayContaining(["anthropic", "openai"]));
    const data = body.data.filter(({ id }: { id: string }) => id === "acme" || id === "code");
    expect({ ...body, data }).toEqual({
      object: "list",
      data: [
        {
          id: "acme",
          object: "vendor",
          label: "Acme",
          dialects: ["dialect_chat"],
          linked: true,
          linked_at: expect.stringMatching(/\.\d{3}Z$/),
          probe: { ok: true, models_found: 2, at: expect.stringMatching(/Z$/) },
        },
        {
          id: "code",
          object: "vendor",
          label: "Code",
          dialects: ["dialect_responses"],
          linked: false,
          linked_at: null,
        },
      ],
      has_more: false,
      first_id: "acme",
      last_id: ids.at(-1),
    });
  });

  it("[identity.account] shows the links of one account only", async () => {
    await link("acme", { api_key: "sk-secret" });
    const other = await causeway.createUser();
    const { body } = await causeway.call("GET", "/v1/vendors", { token: other.session });
    expect(body.data.some(({ linked }: { linked: boolean }) => linked)).toBe(false);
  });
});

describe("PUT /v1/vendors/{vendor}/credential", () => {
  it("[environment.file-allowed] links a key, and answers with the vendor", async () => {
    const answer = await link("acme", { api_key: "sk-secret" });
    expect(answer).toMatchObject({ status: 200, body: { id: "acme", linked: true } });
    expect(JSON.stringify(answer.body)).not.toContain("sk-secret");
  });

  it("[file.vendor-auth] links a login with all its parts", async () => {
    const login = {
      access_token: "at",
      refresh_token: "rt",
      expires_at: "2036-11-20T23:00:00.000Z",
      headers: { "X-Account": "7" },
    };
    const answer = await link("code", { login });
    expect(answer).toMatchObject({ status: 200, body: { id: "code", linked: true } });
    expect(answer.body.probe.ok).toBe(true);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["acme", {}, "api_key"],
    ["acme", { api_key: "" }, "api_key"],
    ["acme", { api_key: " " }, "api_key"],
    ["acme", { api_key: "a", login: { access_token: "b" } }, "login"],
    ["acme", { login: { access_token: "b" } }, "login"],
    ["code", { api_key: "a" }, "api_key"],
    ["code", { login: {} }, "login.access_token"],
    ["code", { login: { access_token: " " } }, "login.access_token"],
    ["code", { login: { access_token: "b", surprise: 1 } }, "login.surprise"],
    ["code", { login: { access_token: "b", headers: { Host: "x" } } }, "login.headers.Host"],
  ])("refuses a credential for %s and names the field: %j", async (vendor, body, param) => {
    const answer = await link(vendor, body);
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request", param } });
  });

  it("does not know other vendors", async () => {
    const answer = await link("toString", { api_key: "a" });
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
  });
});

describe("DELETE /v1/vendors/{vendor}/credential", () => {
  it("[shape.unlinked] answers with the vendor, not linked any more, again and again", async () => {
    await link("acme", { api_key: "sk-secret" });
    for (let count = 0; count < 2; count++) {
      const answer = await causeway.call("DELETE", "/v1/vendors/acme/credential", {
        token: user.session,
      });
      expect(answer).toMatchObject({
        status: 200,
        body: { id: "acme", object: "vendor", linked: false, linked_at: null },
      });
      expect(answer.body.probe).toBeUndefined();
    }
  });
});

function link(vendor: string, body: unknown): Promise<RestAnswer> {
  return causeway.call("PUT", `/v1/vendors/${vendor}/credential`, { token: user.session, body });
}
