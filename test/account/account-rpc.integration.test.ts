import { timestampFromDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { BudgetWindow, KeyMode, KeyRoute } from "../../gen/ts/causeway/account/v1/key_pb.ts";
import { Scope } from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { createSession } from "../../src/account/sessions.ts";
import type { SessionPrincipal } from "../../src/platform/principal.ts";
import { useAccountFixture } from "./account-fixture.ts";
import { clientsFor, refusalOf } from "./account-clients.ts";

const fixture = useAccountFixture();

async function signIn() {
  const user = await fixture.user();
  const { session } = await fixture
    .fork()
    .transactional((em) =>
      Promise.resolve(createSession(em, fixture.actor(), user, fixture.hasher)),
    );
  const { id: userId } = user;
  const principal: SessionPrincipal = {
    kind: "session",
    sessionId: session.id,
    accountId: userId,
    userId,
  };
  return { user, principal, client: clientsFor(fixture, principal).account };
}

describe("AccountService", () => {
  test("getMe gives the person", async () => {
    const { user, client } = await signIn();
    const me = await client.getMe({});
    expect(me).toMatchObject({ id: user.id, object: "user", email: user.email });
    expect(me.disabledAt).toBeUndefined();
  });

  test("a key takes and shows every setting", async () => {
    const { user, client } = await signIn();
    const expiresAt = timestampFromDate(new Date("2031-02-03T04:05:06.789Z"));
    const { key, secret } = await client.createKey({
      name: " laptop ",
      scopes: [Scope.TEAMS_READ, Scope.ENDPOINTS_WRITE],
      route: KeyRoute.BYO,
      mode: KeyMode.AGENT,
      allowedModels: ["custom/*", "acme/acme-large"],
      budget: { limitUsd: 12.000000001, window: BudgetWindow.MONTH },
      rateLimit: { requestsPerMinute: 30, burst: 5 },
      expiresAt,
    });
    expect(key).toMatchObject({
      object: "key",
      name: "laptop",
      prefix: secret.slice(0, 10),
      owner: { case: "userId", value: user.id },
      scopes: [Scope.TEAMS_READ, Scope.ENDPOINTS_WRITE],
      route: KeyRoute.BYO,
      mode: KeyMode.AGENT,
      allowedModels: ["custom/*", "acme/acme-large"],
      budget: { limitUsd: 12.000000001, window: BudgetWindow.MONTH, spentUsd: 0 },
      rateLimit: { requestsPerMinute: 30, burst: 5 },
      expiresAt,
    });
    expect(key?.lastUsedAt ?? key?.revokedAt).toBeUndefined();
    const list = await client.listKeys({});
    expect(list).toMatchObject({
      object: "list",
      hasMore: false,
      firstId: key?.id,
      lastId: key?.id,
    });
    expect(list.data).toEqual([key]);
  });

  test("no scopes is a choice, or the default", async () => {
    const { client } = await signIn();
    const scopesOf = async (request: Parameters<typeof client.createKey>[0]) =>
      (await client.createKey(request)).key?.scopes;
    expect(await scopesOf({})).toEqual([Scope.GATEWAY_INVOKE]);
    expect(await scopesOf({ scopesGiven: true })).toEqual([]);
  });

  test("a PATCH changes what is set, or what its mask names", async () => {
    const { client } = await signIn();
    const budget = { limitUsd: 1, window: BudgetWindow.DAY };
    const { key } = await client.createKey({ name: "a", budget, allowedModels: ["x"] });
    const id = key?.id ?? "";
    const renamed = await client.updateKey({ id, name: "b" });
    expect(renamed).toMatchObject({ name: "b", budget, allowedModels: ["x"] });
    const updateMask = { paths: ["budget", "allowed_models"] };
    const cleared = await client.updateKey({ id, name: "ignored", updateMask });
    expect(cleared).toMatchObject({ name: "b", allowedModels: [] });
    expect(cleared.budget).toBeUndefined();
    expect(await client.updateKey({ id })).toEqual(cleared);
  });

  test("a mask may not clear a name or name what cannot be changed", async () => {
    const { client } = await signIn();
    const { key } = await client.createKey({});
    const id = key?.id ?? "";
    const named = client.updateKey({ id, updateMask: { paths: ["name"] } });
    expect(await refusalOf(named)).toMatchObject({ code: "invalid_request", param: "name" });
    for (const path of ["id", "prefix", "update_mask"]) {
      const call = client.updateKey({ id, updateMask: { paths: [path] } });
      expect(await refusalOf(call)).toMatchObject({
        code: "invalid_request",
        param: "update_mask",
      });
    }
  });

  test("rotating and revoking show the key", async () => {
    const { client } = await signIn();
    const made = await client.createKey({});
    const id = made.key?.id ?? "";
    const rotated = await client.rotateKey({ id });
    expect(rotated.secret).not.toBe(made.secret);
    expect(rotated.key?.prefix).toBe(rotated.secret.slice(0, 10));
    const revoked = await client.revokeKey({ id });
    expect(timestampMs(revoked.revokedAt ?? timestampFromDate(new Date(0)))).toBe(
      fixture.clock.now(),
    );
    expect(await refusalOf(client.rotateKey({ id }))).toMatchObject({ code: "conflict" });
  });

  test.each(["updateKey", "revokeKey", "rotateKey"] as const)(
    "%s does not find the key of somebody else",
    async (method) => {
      const { client } = await signIn();
      const stranger = await signIn();
      const { key } = await client.createKey({});
      const call = stranger.client[method]({ id: key?.id ?? "" });
      expect(await refusalOf(call)).toMatchObject({ code: "not_found" });
    },
  );

  test("sessions are listed and ended, one's own only", async () => {
    const { client, principal } = await signIn();
    const stranger = await signIn();
    const id = principal.sessionId;
    expect((await client.listSessions({})).data).toMatchObject([{ id, object: "session" }]);
    expect(await refusalOf(stranger.client.revokeSession({ id }))).toMatchObject({
      code: "not_found",
    });
    expect(await client.revokeSession({ id })).toMatchObject({ id, deleted: true });
    expect((await client.listSessions({})).data).toEqual([]);
    expect((await client.listSessions({ afterId: id })).data).toEqual([]);
  });

  test("signing out ends the session and clears the cookie", async () => {
    const { client } = await signIn();
    let cookie: string | null = null;
    const onHeader = (headers: Headers) => {
      cookie = headers.get("set-cookie");
    };
    expect(await client.signOut({}, { onHeader })).toMatchObject({ ok: true });
    expect(cookie).toBe("causeway_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
    expect((await client.listSessions({})).data).toEqual([]);
  });

  test("the audit log tells who changed what, without a secret", async () => {
    const { client, user } = await signIn();
    const { key, secret } = await client.createKey({ name: "audited" });
    const { data } = await client.listAudit({});
    expect(data.find(({ type }) => type === "key.created")).toMatchObject({
      object: "audit_event",
      target: key?.id,
      actor: { userId: user.id },
      address: "192.0.2.9",
      requestId: "req_rpc",
      after: { name: "audited", scopes: ["gateway:invoke"], expires_at: null },
    });
    expect(JSON.stringify(data.map(({ after }) => after))).not.toContain(secret.slice(4));
  });

  test("bad paging is refused with its param", async () => {
    const { client } = await signIn();
    const params = await Promise.all(
      [
        client.listKeys({ limit: 0 }),
        client.listKeys({ limit: 101 }),
        client.listKeys({ afterId: "key_x", beforeId: "key_y" }),
        client.listSessions({ beforeId: "session_x" }),
        client.listAudit({ afterId: "audit_x" }),
      ].map(async (call) => (await refusalOf(call)).param),
    );
    expect(params).toEqual(["limit", "limit", "before_id", "before_id", "after_id"]);
  });
});

describe("AdminService", () => {
  const { admin } = clientsFor(fixture, { kind: "operator" });

  test("a user's life", async () => {
    const user = await admin.createUser({ email: " Life@Example.org ", name: "Life" });
    expect(user).toMatchObject({ object: "user", email: "Life@Example.org", name: "Life" });
    const again = admin.createUser({ email: "life@example.org" });
    expect(await refusalOf(again)).toMatchObject({ code: "conflict" });
    const { token } = await admin.createUserSession({ userId: user.id });
    expect(token).toMatch(/^cws_/);
    const disabled = await admin.updateUser({ userId: user.id, disabled: true });
    expect(disabled.disabledAt).toBeDefined();
    const session = admin.createUserSession({ userId: user.id });
    expect(await refusalOf(session)).toMatchObject({ code: "conflict" });
    const enabled = await admin.updateUser({ userId: user.id, disabled: false });
    expect(enabled.disabledAt).toBeUndefined();
    expect(await admin.updateUser({ userId: user.id })).toEqual(enabled);
    expect(await admin.deleteUser({ userId: user.id })).toMatchObject({
      id: user.id,
      object: "user",
      deleted: true,
    });
    const refusals = await Promise.all(
      [
        admin.updateUser({ userId: user.id, disabled: true }),
        admin.deleteUser({ userId: user.id }),
        admin.createUserKey({ userId: user.id }),
        admin.listUserKeys({ userId: user.id }),
        admin.createUserSession({ userId: user.id }),
      ].map(refusalOf),
    );
    expect(refusals.map(({ code }) => code)).toEqual(refusals.map(() => "not_found"));
  });

  test("a user's keys", async () => {
    const { id: userId } = await admin.createUser({ email: "keys@example.org" });
    const { key, secret } = await admin.createUserKey({ userId, name: "ci" });
    expect(secret).toMatch(/^cwk_/);
    expect((await admin.listUserKeys({ userId })).data).toEqual([key]);
    const id = key?.id ?? "";
    const { id: strangerId } = await fixture.user();
    expect(await refusalOf(admin.revokeUserKey({ userId: strangerId, id }))).toMatchObject({
      code: "not_found",
    });
    expect((await admin.revokeUserKey({ userId, id })).revokedAt).toBeDefined();
    const team = admin.createUserKey({ userId, teamId: "team_unknown" });
    expect(await refusalOf(team)).toMatchObject({ code: "not_found" });
  });

  test("users are listed page by page, and the whole audit log with them", async () => {
    fixture.clock.advance(1);
    const made = [];
    for (const name of ["p1", "p2", "p3"]) {
      fixture.clock.advance(1);
      made.push(await admin.createUser({ email: `${name}@example.org` }));
    }
    const [first, second, third] = made.map(({ id }) => id);
    const page = await admin.listUsers({ afterId: first ?? "", limit: 1 });
    expect(page).toMatchObject({ hasMore: true, firstId: second, lastId: second });
    const before = await admin.listUsers({ beforeId: third ?? "", limit: 2 });
    expect(before.data.map(({ id }) => id)).toEqual([first, second]);
    const audit = await admin.listAdminAudit({ limit: 100 });
    expect(audit.data.map(({ target }) => target)).toEqual(expect.arrayContaining([third]));
  });

  test.each(["", "nobody", "a@b@c", "ann,bob@example.org"])(
    "refuses the address %j",
    async (email) => {
      const refusal = await refusalOf(admin.createUser({ email }));
      expect(refusal).toMatchObject({ code: "invalid_request", param: "email" });
    },
  );
});
