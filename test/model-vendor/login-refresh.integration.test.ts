/** Linked logins of code assistants, renewed over a vendor's token endpoint (RFC 6749, section 6). */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, reset, type Script } from "../support/fake-upstream.ts";
import { bearerOf, openLoginVendor, type LoginVendor } from "../support/fake-login-vendor.ts";
import { selectRows } from "../support/select-rows.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let vendor: LoginVendor;
/** Two processes on one database, as far as a test can tell. */
let causeway: TestInstance;
let other: TestInstance;
let statements = 0;

beforeAll(async () => {
  vendor = await openLoginVendor();
  const { baseUrl: base_url, tokenUrl: token_url } = vendor;
  const common = { label: "Code", base_url, dialects: ["dialect_responses"] };
  const secret = { client_secret: "${CODE_SECRET}", scope: "offline" };
  const file = {
    vendors: {
      code: { ...common, auth: "login", models: ["m"], token_url, client_id: "app", ...secret },
      found: { ...common, auth: "login", token_url, client_id: "app" },
      fixed: { ...common, auth: "login", models: ["f"] },
      spare: { ...common, auth: "bearer", models: ["m"] },
    },
  };
  const environment = {
    CAUSEWAY_SECRET_KEY: randomBytes(32).toString("base64"),
    CODE_SECRET: "client-secret-value",
    // The addresses of the file need no entry of their own.
    CAUSEWAY_UPSTREAM_ALLOW: "",
  };
  const statementObserver = () => void (statements += 1);
  causeway = await startTestInstance({ environment, file, statementObserver });
  const shared = { ...environment, DATABASE_URL: causeway.connectionString };
  other = await startTestInstance({ environment: shared, file });
});

afterAll(async () => {
  await other.close();
  await causeway.close();
  await vendor.close();
});

interface Caller {
  readonly name: string;
  readonly user: TestUser;
  readonly key: string;
}

let callers = 0;

/** A user with a linked login, `name`, whose access token ends in so many seconds. */
async function caller(endsIn: number | undefined, more: object = {}): Promise<Caller> {
  callers += 1;
  const name = `n${callers}`;
  const user = await causeway.createUser();
  const { secret: key } = await user.createKey();
  const made = { name, user, key };
  await link(made, 1, endsIn, more);
  return made;
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

async function link(
  { name, user }: Pick<Caller, "name" | "user">,
  count: number,
  endsIn: number | undefined,
  more: object = {},
): Promise<void> {
  const tokens = { access_token: `at-${name}-${count}`, refresh_token: `rt-${name}-${count}` };
  const ends = endsIn === undefined ? {} : { expires_at: inSeconds(endsIn) };
  const login = { ...tokens, ...ends, headers: { "X-Account": name }, ...more };
  const body = { login };
  const answer = await causeway.call("PUT", "/v1/vendors/code/credential", {
    token: user.session,
    body,
  });
  expect(answer.status).toBe(200);
}

const ask = (
  { key: token }: Pick<Caller, "key">,
  body: object = {},
  instance: TestInstance = causeway,
) =>
  instance.call("POST", "/v1/responses", {
    token,
    body: { model: "code/m", input: "hi", store: false, ...body },
  });

const bearers = ({ name }: Caller): string[] => vendor.calls(name).map(bearerOf);

async function events({ user }: Caller): Promise<string[]> {
  const { body } = await causeway.call("GET", "/v1/audit?limit=100", { token: user.session });
  const types: string[] = body.data.map(({ type }: { type: string }) => type);
  return types.filter((type) => type.startsWith("vendor."));
}

async function vendorOf({ user }: Caller) {
  const { body } = await causeway.call("GET", "/v1/vendors?limit=100", { token: user.session });
  return body.data.find(({ id }: { id: string }) => id === "code");
}

/** Answers a request when it is told to. */
function held(then: Script): { readonly script: Script; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    open: resolve,
    script: async (response, request) => {
      await promise;
      await then(response, request);
    },
  };
}

describe("a login that ends within a minute", () => {
  it("[call.login] is renewed before the call, its headers carried, and saved for every process", async () => {
    const ada = await caller(30);
    expect((await ask(ada)).status).toBe(200);
    expect(vendor.tokenRequests(ada.name)).toEqual([
      {
        grant_type: "refresh_token",
        refresh_token: `rt-${ada.name}-1`,
        client_id: "app",
        client_secret: "client-secret-value",
        scope: "offline",
      },
    ]);
    expect((await ask(ada, { stream: true })).body).toContain("response.completed");
    expect((await ask(ada, {}, other)).status).toBe(200);
    const token = `at-${ada.name}-2`;
    expect(bearers(ada)).toEqual([token, token, token]);
    expect(vendor.calls(ada.name).map(({ headers }) => headers["x-account"])).toEqual(
      Array.from({ length: 3 }, () => ada.name),
    );
    expect(vendor.tokenRequests(ada.name)).toHaveLength(1);
    expect(await events(ada)).toEqual(["vendor.linked", "vendor.login_renewed"]);
  });

  it("[file.vendor-auth] spends each refresh token once, the next one next", async () => {
    const ada = await caller(0);
    vendor.setLife(ada.name, 0);
    for (let count = 0; count < 3; count++) expect((await ask(ada)).status).toBe(200);
    expect(vendor.tokenRequests(ada.name).map((form) => form["refresh_token"])).toEqual([
      `rt-${ada.name}-1`,
      `rt-${ada.name}-2`,
      `rt-${ada.name}-3`,
    ]);
    expect(bearers(ada)).toEqual([2, 3, 4].map((count) => `at-${ada.name}-${count}`));
  });

  it("keeps the refresh token where none comes back", async () => {
    const ada = await caller(0);
    const again = json({ access_token: `at-${ada.name}-2`, token_type: "bearer", expires_in: "0" });
    vendor.answerTokens(ada.name, again);
    await ask(ada);
    await ask(ada);
    const sent = vendor.tokenRequests(ada.name).map((form) => form["refresh_token"]);
    expect(sent).toEqual([`rt-${ada.name}-1`, `rt-${ada.name}-1`]);
  });

  it("is renewed once for many calls at two processes", async () => {
    const ada = await caller(0);
    const calls = Array.from({ length: 16 }, (_, index) =>
      ask(ada, {}, index % 2 === 0 ? causeway : other),
    );
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(vendor.tokenRequests(ada.name)).toHaveLength(1);
    expect(new Set(bearers(ada))).toEqual(new Set([`at-${ada.name}-2`]));
  });

  it("is renewed by somebody else when the process that began has died", async () => {
    const ada = await caller(0);
    const claim = (until: string) =>
      selectRows(
        causeway.connectionString,
        `update vendor_credentials set refresh_claim = 'dead', refresh_claimed_until = ${until}
         where account_id = $1`,
        ada.user.id,
      );
    await claim("now() + interval '0.5 seconds'");
    expect((await ask(ada)).status).toBe(200);
    expect(bearers(ada)).toEqual([`at-${ada.name}-2`]);
  });
});

describe("a login that ends within minutes", () => {
  it("is renewed beside the calls: none waits, and then none reads the database", async () => {
    const ada = await caller(180);
    const { script, open } = held(
      json({ access_token: `at-${ada.name}-2`, token_type: "Bearer", expires_in: 3600 }),
    );
    vendor.answerTokens(ada.name, script);
    for (let count = 0; count < 3; count++) expect((await ask(ada)).status).toBe(200);
    expect(new Set(bearers(ada))).toEqual(new Set([`at-${ada.name}-1`]));
    open();
    await waitUntil(async () => (await events(ada)).includes("vendor.login_renewed"));
    await waitUntil(async () => {
      await ask(ada);
      return bearers(ada).at(-1) === `at-${ada.name}-2`;
    });
    // The usage rows of the calls so far are written within half a second.
    await delay(700);
    await ask(ada);
    const before = statements;
    await ask(ada);
    expect(statements).toBe(before);
    expect(vendor.tokenRequests(ada.name)).toHaveLength(1);
  });
});

describe("a 401 of the vendor", () => {
  it.each([
    ["whole", {}],
    ["streamed", { stream: true }],
  ])("[call.login] renews the login and makes the call once more, %s", async (_, body) => {
    const ada = await caller(undefined);
    vendor.revoke(`at-${ada.name}-1`);
    const answer = await ask(ada, body);
    expect(answer.status).toBe(200);
    expect(bearers(ada)).toEqual([1, 2].map((count) => `at-${ada.name}-${count}`));
    const [first, second] = vendor.calls(ada.name);
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["x-account"]).toBe(ada.name);
    expect(answer.headers.get("x-svc-route-used")).toBe("byo");
  });

  it("does so for callers of another dialect as well", async () => {
    const ada = await caller(undefined);
    vendor.revoke(`at-${ada.name}-1`);
    const { status, body } = await causeway.call("POST", "/v1/chat/completions", {
      token: ada.key,
      body: { model: "code/m", messages: [{ role: "user", content: "hi" }] },
    });
    expect([status, body.choices[0].message.content]).toEqual([200, "hello"]);
  });

  it("of the new token too is the caller's to hear, without the token", async () => {
    const ada = await caller(undefined);
    for (const count of [1, 2]) vendor.revoke(`at-${ada.name}-${count}`);
    const { status, body } = await ask(ada);
    expect([status, body.error.code]).toEqual([403, "no_vendor_credential"]);
    expect(body.error.message).not.toContain("at-");
    expect(bearers(ada)).toEqual([1, 2].map((count) => `at-${ada.name}-${count}`));
    expect((await ask(ada)).status).toBe(200);
    expect(bearers(ada).slice(2)).toEqual([2, 3].map((count) => `at-${ada.name}-${count}`));
  });

  it("of every token is not followed by another at every call", async () => {
    const ada = await caller(undefined);
    for (let count = 1; count < 20; count++) vendor.revoke(`at-${ada.name}-${count}`);
    for (let count = 0; count < 6; count++) expect((await ask(ada)).status).toBe(403);
    expect(vendor.tokenRequests(ada.name)).toHaveLength(3);
  });

  it("is renewed once for many calls at two processes", async () => {
    const ada = await caller(undefined);
    vendor.revoke(`at-${ada.name}-1`);
    const calls = Array.from({ length: 12 }, (_, index) =>
      ask(ada, {}, index % 2 === 0 ? causeway : other),
    );
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(vendor.tokenRequests(ada.name)).toHaveLength(1);
  });

  it("is told where the login cannot be renewed", async () => {
    const ada = await caller(undefined, { refresh_token: undefined });
    vendor.revoke(`at-${ada.name}-1`);
    const { status, body } = await ask(ada);
    expect([status, body.error.code]).toEqual([403, "no_vendor_credential"]);
    expect(body.error.message).toContain("PUT /v1/vendors/code/credential");
    expect(vendor.tokenRequests(ada.name)).toEqual([]);
  });

  it("is told where the vendor has no token endpoint", async () => {
    const ada = await caller(undefined);
    const login = { access_token: `at-${ada.name}-9`, refresh_token: `rt-${ada.name}-9` };
    const body = { login: { ...login, expires_at: inSeconds(-5) } };
    await causeway.call("PUT", "/v1/vendors/fixed/credential", { token: ada.user.session, body });
    expect((await ask(ada, { model: "fixed/f" })).status).toBe(200);
    vendor.revoke(`at-${ada.name}-9`);
    expect((await ask(ada, { model: "fixed/f" })).status).toBe(403);
    expect(vendor.tokenRequests(ada.name)).toEqual([]);
  });
});

describe("a refresh token that is worth nothing any more", () => {
  it.each([
    ["invalid_grant", { error: "invalid_grant", error_description: "secret words" }, 400],
    ["a code of its own", { error: { message: "x", code: "refresh_token_reused" } }, 401],
  ])("ends the login until it is linked anew: %s", async (_, said, status) => {
    const ada = await caller(0);
    vendor.answerTokens(ada.name, json(said, status));
    for (const instance of [causeway, other, causeway]) {
      const answer = await ask(ada, {}, instance);
      expect([answer.status, answer.body.error.code]).toEqual([403, "no_vendor_credential"]);
      expect(answer.body.error.message).toMatch(/has ended.*PUT \/v1\/vendors\/code\/credential/);
      expect(answer.body.error.message).not.toContain("secret");
    }
    expect(vendor.tokenRequests(ada.name)).toHaveLength(1);
    expect(bearers(ada)).toEqual([]);
    expect(await vendorOf(ada)).toMatchObject({
      linked: true,
      probe: { ok: false, error: "http_401" },
    });
    const { body } = await causeway.call("GET", "/v1/models", { token: ada.key });
    expect(body.data.find(({ id }: { id: string }) => id === "code/m")).toMatchObject({
      available: false,
      reason: "no_vendor_credential",
    });
    expect(await events(ada)).toEqual(["vendor.linked", "vendor.login_ended"]);
    await link(ada, 5, 3600);
    expect((await ask(ada)).status).toBe(200);
    expect(await vendorOf(ada)).toMatchObject({ probe: { ok: true } });
  });
});

describe("a token endpoint that is away", () => {
  it.each<[string, Script]>([
    ["resets", reset],
    ["fails", json({ error: "server_error" }, 503)],
    ["answers with no token", json({ token_type: "Bearer" })],
    ["gives a token of another kind", json({ access_token: "x", token_type: "DPoP" })],
    ["knows the operator not", json({ error: "invalid_client" }, 401)],
  ])("leaves the old token in use while it lives: it %s", async (_, script) => {
    const ada = await caller(40);
    vendor.answerTokens(ada.name, script);
    expect((await ask(ada)).status).toBe(200);
    expect((await ask(ada)).status).toBe(200);
    expect(bearers(ada)).toEqual([`at-${ada.name}-1`, `at-${ada.name}-1`]);
    expect(vendor.tokenRequests(ada.name)).toHaveLength(1);
    expect(await events(ada)).toEqual(["vendor.linked"]);
  });

  it("is not waited for longer than three seconds while the old one lives", async () => {
    const ada = await caller(40);
    const { script, open } = held(json({}, 500));
    vendor.answerTokens(ada.name, script);
    const startedAt = performance.now();
    expect((await ask(ada)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(9000);
    expect(bearers(ada)).toEqual([`at-${ada.name}-1`]);
    open();
  });

  it("is 502 when the old one is dead, and asked again a little later only", async () => {
    const ada = await caller(0);
    vendor.answerTokens(ada.name, json({}, 500));
    for (let count = 0; count < 3; count++) {
      const { status, body, headers } = await ask(ada);
      expect([status, body.error.code]).toEqual([502, "upstream_unreachable"]);
      expect(body.error.message).toContain("token endpoint answered 500");
      expect(headers.get("retry-after")).toBe("5");
    }
    expect(vendor.tokenRequests(ada.name)).toHaveLength(1);
    expect(bearers(ada)).toEqual([]);
    vendor.answerTokens(ada.name, undefined);
    expect((await ask(ada, {}, other)).status).toBe(200);
  });

  it("lets a bare model go on to the next own route", async () => {
    const ada = await caller(0);
    vendor.answerTokens(ada.name, reset);
    const token = ada.user.session;
    const body = { api_key: `at-${ada.name}-7` };
    await causeway.call("PUT", "/v1/vendors/spare/credential", { token, body });
    const answer = await ask(ada, { model: "m" });
    expect(answer.status).toBe(200);
    expect(bearers(ada)).toEqual([`at-${ada.name}-7`]);
  });
});

it("discovers models with a token that lives, and knows them when the login is renewed", async () => {
  const ada = await caller(3600);
  vendor.setLife(ada.name, 0);
  const login = { access_token: `at-${ada.name}-1`, refresh_token: `rt-${ada.name}-1` };
  const body = { login: { ...login, expires_at: inSeconds(-1) } };
  vendor.revoke(`at-${ada.name}-1`);
  await causeway.call("PUT", "/v1/vendors/found/credential", { token: ada.user.session, body });
  for (let count = 0; count < 3; count++) {
    expect((await ask(ada, { model: "listed" })).status).toBe(200);
  }
  // The first is the probe of the link.
  expect(vendor.listings(ada.name).slice(-2)).toEqual([1, 2].map((n) => `at-${ada.name}-${n}`));
});

describe("a login that changes while it is renewed", () => {
  it("stays unlinked", async () => {
    const ada = await caller(0);
    const { script, open } = held(
      json({ access_token: `at-${ada.name}-2`, token_type: "Bearer", expires_in: 3600 }),
    );
    vendor.answerTokens(ada.name, script);
    const call = ask(ada);
    await waitUntil(() => vendor.tokenRequests(ada.name).length === 1);
    const token = ada.user.session;
    await causeway.call("DELETE", "/v1/vendors/code/credential", { token });
    open();
    expect(await call).toMatchObject({
      status: 403,
      body: { error: { code: "no_vendor_credential" } },
    });
    expect(await vendorOf(ada)).toMatchObject({ linked: false });
    expect(await events(ada)).toEqual(["vendor.linked", "vendor.unlinked"]);
  });

  it("is the one that was linked meanwhile", async () => {
    const ada = await caller(0);
    const { script, open } = held(json({ access_token: "x", token_type: "Bearer" }));
    vendor.answerTokens(ada.name, script);
    const call = ask(ada);
    await waitUntil(() => vendor.tokenRequests(ada.name).length === 1);
    await link(ada, 8, 3600);
    open();
    expect((await call).status).toBe(200);
    expect(bearers(ada)).toEqual([`at-${ada.name}-8`]);
  });
});

it("no token and no secret of a login is in a log or an audit event", async () => {
  const logs = JSON.stringify([causeway.logLines(), other.logLines()]);
  const told = ["vendor.login_renewed", "vendor.login_ended", "login not renewed"];
  expect(told.filter((text) => !logs.includes(text))).toEqual([]);
  const audit = await selectRows(causeway.connectionString, "select * from audit_events");
  const secret = /[ar]t-n\d+-\d+|client-secret-value|secret words/;
  expect([logs, JSON.stringify(audit)].map((text) => secret.exec(text)?.[0])).toEqual([
    undefined,
    undefined,
  ]);
});
