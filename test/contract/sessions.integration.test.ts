/** Signing in and sessions from outside. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type RestAnswer, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance({
    file: { sign_in: { domains: ["example.org"] } },
    environment: {
      CAUSEWAY_PUBLIC_URL: "https://gateway.example.com",
      CAUSEWAY_TRUSTED_PROXIES: "127.0.0.1/32",
    },
  });
});

afterAll(() => causeway.close());

describe("answers that hold a secret", () => {
  it("are for no cache: keys, rotated ones, sessions, over REST and Connect", async () => {
    const { id, session: token } = await causeway.createUser();
    const key = await causeway.call("POST", "/v1/keys", { token, body: {} });
    const operator = { token: causeway.adminToken };
    const answers = [
      key,
      await causeway.call("POST", `/v1/keys/${key.body.key.id}/rotate`, { token }),
      await causeway.call("POST", `/v1/admin/users/${id}/sessions`, operator),
      await causeway.call("POST", `/v1/admin/users/${id}/keys`, { ...operator, body: {} }),
      await causeway.call("POST", "/causeway.account.v1.AccountService/CreateKey", {
        token,
        body: {},
      }),
    ];
    for (const { status, headers } of answers) {
      expect([status < 300, headers.get("cache-control")]).toEqual([true, "no-store"]);
    }
    const list = await causeway.call("GET", "/v1/keys", { token });
    expect(list.headers.get("cache-control")).toBeNull();
  });
});

describe("signing in", () => {
  it("[environment.public-url] [sign-in.code] mails digits alone on a line and a link with a code of its own", async () => {
    const { code, linkCode, text } = await mailTo("ada@example.org");
    expect(code).toMatch(/^\d{8}$/);
    expect(linkCode).toMatch(/^[0-9A-Za-z]{22}$/);
    const link = `https://gateway.example.com/sign_in#email=ada%40example.org&code=${linkCode}`;
    expect(text.split("\n")).toContain(link);
  });

  it("[limits.sign-in-codes] takes the link's code, on the page of the link and over Connect", async () => {
    const { linkCode: code } = await mailTo("ida@example.org");
    const { body: page } = await causeway.call("GET", "/sign_in");
    const [, pattern = ""] = /<input id="code"[^>]* pattern="([^"]+)"/.exec(String(page)) ?? [];
    expect(code).toMatch(new RegExp(`^(?:${pattern})$`, "v"));
    const route = "/causeway.account.v1.AccountService/FinishSignIn";
    const body = { email: "ida@example.org", code };
    const answer = await causeway.call("POST", route, { body });
    expect(answer).toMatchObject({ status: 200, body: { user: { email: "ida@example.org" } } });
    expect((await causeway.call("POST", route, { body })).status).toBe(400);
  });

  it("[sign-in.user] [file.sign-in] [sign-in.who] makes the user that is missing, and opens a session", async () => {
    const { code } = await mailTo("bob@example.org");
    const answer = await finish("bob@example.org", code);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).toEqual({
      token: expect.stringMatching(/^cws_[0-9A-Za-z]{49}$/),
      user: {
        id: expect.stringMatching(/^user_/),
        object: "user",
        email: "bob@example.org",
        name: null,
        created_at: expect.stringMatching(/Z$/),
        disabled_at: null,
      },
    });
    const me = await causeway.call("GET", "/v1/me", { token: answer.body.token });
    expect(me.body).toEqual(answer.body.user);
  });

  it("[identity.cookie] sets the cookie: HttpOnly, SameSite=Lax, Secure behind https", async () => {
    const { code } = await mailTo("carl@example.org");
    const { headers, body } = await finish("carl@example.org", code);
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).toContain(`causeway_session=${body.token};`);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).toMatch(/; Secure/);
  });

  it("[file.sign-in] [sign-in.silence] answers an address that may not sign in alike, and mails nothing", async () => {
    const before = await outbox();
    const stranger = await start("eve@elsewhere.example");
    const known = await start("dora@example.org");
    expect([stranger.status, stranger.body]).toEqual([200, known.body]);
    await waitUntil(async () => (await outbox()).length > before.length);
    expect(await outbox()).toHaveLength(before.length + 1);
    expect(await finish("eve@elsewhere.example", "00000000")).toMatchObject({
      status: 400,
      body: { param: "code" },
    });
  });

  it("takes a code once", async () => {
    const { code } = await mailTo("emil@example.org");
    expect((await finish("emil@example.org", code)).status).toBe(201);
    expect(await finish("emil@example.org", code)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: "code" },
    });
  });

  it("[sign-in.life] [limits.sign-in-codes] takes five wrong codes, then not even the right one", async () => {
    const { code, linkCode } = await mailTo("fay@example.org");
    const wrong = code === "11111111" ? "22222222" : "11111111";
    for (let count = 0; count < 5; count++) await finish("fay@example.org", wrong);
    expect(await finish("fay@example.org", code)).toMatchObject({
      status: 400,
      body: { param: "code" },
    });
    expect((await finish("fay@example.org", linkCode)).status).toBe(201);
  });

  it("[limits.sign-in-starts] lets no stranger lock a person out, neither by guessing nor by asking for codes", async () => {
    const email = "jo@example.org";
    const { linkCode: first } = await mailTo(email);
    const mails = (await outbox()).length;
    const stranger = { "x-forwarded-for": "203.0.113.9" };
    const asked: number[] = [];
    for (let count = 0; count < 12; count++) {
      asked.push((await start(email, stranger)).status);
      await finish(email, "00000000");
    }
    expect(asked).toEqual([...Array(10).fill(200), 429, 429]);
    await waitUntil(async () => (await outbox()).length === mails + 10);
    const { linkCode: second } = await mailTo(email);
    for (const code of [first, second]) expect((await finish(email, code)).status).toBe(201);
  });

  it("[sign-in.who] finds the user whatever the spelling of the address", async () => {
    const user = await causeway.createUser("Gil.Smith@Elsewhere.Example");
    const { code } = await mailTo(" gil.smith@ELSEWHERE.example ");
    const answer = await finish("GIL.SMITH@elsewhere.example", code);
    expect(answer.body.user.id).toBe(user.id);
  });

  it("is limited per address", async () => {
    const answers: RestAnswer[] = [];
    for (let count = 0; count < 11; count++) answers.push(await start("hugo@example.org"));
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(answers[10]).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(answers[10]?.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

describe("a session", () => {
  it("[identity.session] calls by bearer and by cookie", async () => {
    const { session } = await causeway.createUser();
    expect(await me({ authorization: `Bearer ${session}` })).toMatchObject({ status: 200 });
    expect(await me(cookie(session))).toMatchObject({ status: 200 });
  });

  it("changes something by cookie only from the server's own origin", async () => {
    const { session } = await causeway.createUser();
    for (const [headers, status] of [
      [{}, 403],
      [{ origin: "https://evil.example" }, 403],
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ origin: "https://gateway.example.com" }, 201],
      [{ "sec-fetch-site": "same-origin" }, 201],
    ] as const) {
      const answer = await causeway.call("POST", "/v1/keys", {
        headers: { ...cookie(session), ...headers },
        body: {},
      });
      expect([headers, answer.status]).toEqual([headers, status]);
    }
  });

  it("[shape.session] is shown with its times, and to nobody else", async () => {
    const [mine, other] = [await causeway.createUser(), await causeway.createUser()];
    const { body } = await causeway.call("GET", "/v1/sessions", { token: mine.session });
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^session_/),
        object: "session",
        created_at: expect.stringMatching(/Z$/),
        last_used_at: null,
        expires_at: expect.stringMatching(/Z$/),
      },
    ]);
    const path = `/v1/sessions/${body.first_id}`;
    const foreign = await causeway.call("DELETE", path, { token: other.session });
    expect(foreign).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  it("[refused.session-ended] [shape.deleted] that is revoked is 401", async () => {
    const { session: token } = await causeway.createUser();
    const list = await causeway.call("GET", "/v1/sessions", { token });
    const { first_id: id } = list.body;
    const revoked = await causeway.call("DELETE", `/v1/sessions/${id}`, { token });
    expect(revoked.body).toEqual({ id, object: "session", deleted: true });
    expect(await causeway.call("GET", "/v1/me", { token })).toMatchObject({
      status: 401,
      body: { error: "unauthorized" },
    });
  });

  it("[shape.sign-out] [refused.session-ended] that signs out is 401, and its cookie is cleared", async () => {
    const { session: token } = await causeway.createUser();
    const answer = await causeway.call("POST", "/v1/sign_out", { token });
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^causeway_session=; Max-Age=0/);
    expect(await causeway.call("GET", "/v1/me", { token })).toMatchObject({ status: 401 });
  });

  it("[refused.session-ended] of a user who is disabled is 401, and stays so", async () => {
    const { id, session: token } = await causeway.createUser();
    for (const disabled of [true, false]) {
      await causeway.call("PATCH", `/v1/admin/users/${id}`, {
        token: causeway.adminToken,
        body: { disabled },
      });
      expect(await causeway.call("GET", "/v1/me", { token })).toMatchObject({ status: 401 });
    }
  });

  it.each(["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/embeddings"])(
    "[auth.model-calls] [refused.session-on-models] may not call %s",
    async (path) => {
      const { session: token } = await causeway.createUser();
      const answer = await causeway.call("POST", path, { token, body: {} });
      expect(answer.status).toBe(403);
      expect(JSON.stringify(answer.body)).toContain("insufficient_scope");
    },
  );
});

describe("GET /v1/audit", () => {
  it("[shape.audit] says who changed what from where, without a secret", async () => {
    const user = await causeway.createUser();
    const body = { name: "audited" };
    const headers = { "x-request-id": "my-request" };
    const made = await causeway.call("POST", "/v1/keys", { token: user.session, body, headers });
    const { body: audit } = await causeway.call("GET", "/v1/audit", { token: user.session });
    expect(audit.data.at(-1)).toEqual({
      id: expect.stringMatching(/^audit_/),
      object: "audit_event",
      type: "key.created",
      at: expect.stringMatching(/Z$/),
      actor: { user_id: user.id, key_id: null, kind: "user" },
      address: "127.0.0.1",
      request_id: "my-request",
      target: made.body.key.id,
      before: null,
      after: expect.objectContaining({ name: "audited" }),
    });
    const everything = await causeway.call("GET", "/v1/admin/audit?limit=100", {
      token: causeway.adminToken,
    });
    for (const secret of [made.body.secret, user.session]) {
      expect(JSON.stringify([audit, everything.body])).not.toContain(secret);
    }
  });
});

function start(email: string, headers: Record<string, string> = {}): Promise<RestAnswer> {
  return causeway.call("POST", "/v1/sign_in", { body: { email }, headers });
}

function finish(email: string, code: string): Promise<RestAnswer> {
  return causeway.call("POST", "/v1/sign_in/finish", { body: { email, code } });
}

function me(headers: Record<string, string>): Promise<RestAnswer> {
  return causeway.call("GET", "/v1/me", { headers });
}

function cookie(token: string): Record<string, string> {
  return { cookie: `other=1; causeway_session=${token}` };
}

interface SignInMail {
  readonly text: string;
  /** The digits. */
  readonly code: string;
  /** What the link holds. */
  readonly linkCode: string;
}

/** Asks for a code and reads the newest message of the outbox. */
async function mailTo(email: string): Promise<SignInMail> {
  const before = await outbox();
  await start(email);
  await waitUntil(async () => (await outbox()).length > before.length);
  const path = join(causeway.dataDirectory, "outbox", (await outbox()).at(-1) ?? "");
  const text = unquoted(await readFile(path, "utf8"));
  const [, linkCode = ""] = /\/sign_in#email=\S+&code=(\S+)/.exec(text) ?? [];
  return { text, code: /^\d{8}$/m.exec(text)?.[0] ?? "", linkCode };
}

/** Takes the quoted-printable encoding off. */
function unquoted(mail: string): string {
  const isQuoted = /^content-transfer-encoding: quoted-printable$/im.test(mail);
  return isQuoted ? mail.replaceAll("=\n", "").replaceAll("=3D", "=") : mail;
}

/** Messages that are written whole, oldest first. */
async function outbox(): Promise<string[]> {
  const names = await readdir(join(causeway.dataDirectory, "outbox")).catch(() => []);
  return names.filter((name) => name.endsWith(".eml")).toSorted((a, b) => a.localeCompare(b));
}
