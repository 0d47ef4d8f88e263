import { describe, expect, test } from "vitest";
import { Authenticator } from "../../src/account/authenticator.ts";
import { CallerKeyDirectory } from "../../src/account/key-directory.ts";
import { createKey } from "../../src/account/create-key.ts";
import { UnknownCredentialRateLimiter } from "../../src/account/unknown-credential-limiter.ts";
import { buildKeysCreatedByUserFilter } from "../../src/account/key-filter.ts";
import { revokeKey } from "../../src/account/keys.ts";
import { revokeSession, createSession } from "../../src/account/sessions.ts";
import type { AcceptedCredentialKind } from "../../src/contract/method-policy.ts";
import { emptyTeamMembershipLookup } from "../../src/account/team-membership.ts";
import { setUserDisabled } from "../../src/account/users.ts";
import { generateCredentialToken } from "../../src/platform/crypto/token.ts";
import type { CallerKeyScope } from "../../src/platform/principal.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const { hasher, clock } = fixture;
const operatorToken = "an-operator-token-of-the-tests";
const unauthorized = expect.objectContaining({ code: "unauthorized", status: 401 });
const notFound = expect.objectContaining({ code: "not_found", status: 404 });

function refusal(message: RegExp) {
  return expect.objectContaining({
    code: "insufficient_scope",
    status: 403,
    message: expect.stringMatching(message),
  });
}

const used: string[] = [];
const use = { record: (id: string) => void used.push(id) };
const feed = new FakeFeed();
const lookUps = new UnknownCredentialRateLimiter(clock);

function authenticatorWith(token: string | undefined): Authenticator {
  const { fork } = fixture;
  return new Authenticator({
    fork,
    keys: new CallerKeyDirectory({
      fork,
      feed,
      hasher,
      teams: emptyTeamMembershipLookup,
      clock,
      unknownCredentials: lookUps,
    }),
    unknownCredentials: lookUps,
    hasher,
    operatorToken: token,
    keyUse: use,
    sessionUse: use,
    publicUrl: () => "https://gateway.example.org",
    clock,
  });
}

function authenticate(
  headers: Record<string, string>,
  accepted: readonly AcceptedCredentialKind[] = ["key", "session"],
  httpMethod = "GET",
) {
  return authenticatorWith(operatorToken).authenticate(
    new Headers(headers),
    accepted,
    undefined,
    httpMethod,
  );
}

/** The model call's answer, whether it came at once or later. */
async function modelCall(headers: Record<string, string>, scope?: CallerKeyScope) {
  return authenticatorWith(operatorToken).authenticateModelCall(headers, scope);
}

async function makeKey(scopes?: CallerKeyScope[]) {
  const { id: userId } = await fixture.user();
  const changes = scopes === undefined ? {} : { scopes };
  const ports = { hasher, teams: emptyTeamMembershipLookup };
  return {
    userId,
    ...(await createKey(fixture.fork(), fixture.actor(), { userId }, changes, ports)),
  };
}

async function signIn() {
  const user = await fixture.user();
  const opened = await fixture
    .fork()
    .transactional((em) => Promise.resolve(createSession(em, fixture.actor(), user, hasher)));
  return { userId: user.id, ...opened };
}

describe("authenticate()", () => {
  test("knows a key by either header, and notes its use", async () => {
    const { key, secret, userId } = await makeKey(["teams:read"]);
    const principal = {
      kind: "key",
      keyId: key.id,
      accountId: userId,
      userId,
      teamId: undefined,
      scopes: new Set(["teams:read"]),
    };
    used.length = 0;
    expect(await authenticate({ authorization: `Bearer ${secret}` })).toEqual(principal);
    expect(await authenticate({ "x-api-key": secret })).toEqual(principal);
    const both = { authorization: `Bearer ${secret}`, "x-api-key": secret };
    expect(await authenticate(both)).toEqual(principal);
    expect(used).toEqual([key.id, key.id, key.id]);
  });

  test("knows a session by bearer and by cookie", async () => {
    const { session, token, userId } = await signIn();
    const expiresAt = session.expiresAt.getTime();
    const ids = { sessionId: session.id, accountId: userId, userId };
    const principal = { kind: "session", ...ids, expiresAt };
    expect(await authenticate({ authorization: `Bearer ${token}` })).toEqual(principal);
    expect(await authenticate({ cookie: `a=b; causeway_session=${token}` })).toEqual(principal);
  });

  test("knows the operator by the bearer, never by a cookie", async () => {
    const bearer = { authorization: `Bearer ${operatorToken}` };
    expect(await authenticate(bearer, ["operator"])).toEqual({ kind: "operator" });
    const cookie = { cookie: `causeway_session=${operatorToken}` };
    await expect(authenticate(cookie, ["operator"])).rejects.toThrow(unauthorized);
  });

  test.each<[string, Record<string, string>]>([
    ["a call without a credential", {}],
    ["a malformed one", { authorization: "Bearer cwk_malformed" }],
    ["no bearer", { authorization: "Basic abc" }],
    ["an unknown key", { authorization: `Bearer ${generateCredentialToken("cwk")}` }],
    ["an unknown session", { authorization: `Bearer ${generateCredentialToken("cws")}` }],
    ["a malformed session", { authorization: "Bearer cws_malformed" }],
    [
      "two different ones",
      { authorization: `Bearer ${generateCredentialToken("cwk")}`, "x-api-key": "other" },
    ],
    ["a key as cookie", { cookie: `causeway_session=${generateCredentialToken("cwk")}` }],
  ])("refuses %s with 401", async (_what, headers) => {
    await expect(authenticate(headers)).rejects.toThrow(unauthorized);
  });

  test("[identity.x-api-key] x-api-key takes caller keys alone: a session and the operator token are 401 there", async () => {
    const { token } = await signIn();
    for (const secret of [token, operatorToken]) {
      for (const accepted of [["key", "session"], ["session"], ["operator"]] as const) {
        const asked = authenticate({ "x-api-key": secret }, accepted);
        await expect(asked).rejects.toThrow(unauthorized);
        await expect(asked).rejects.toThrow(/`x-api-key`/);
      }
    }
    const both = { authorization: `Bearer ${token}`, "x-api-key": token };
    expect(await authenticate(both)).toMatchObject({ kind: "session" });
  });

  test("a wrong operator token is 401, and without a token the operator API is not there", async () => {
    const headers = { authorization: "Bearer wrong" };
    await expect(authenticate(headers, ["operator"])).rejects.toThrow(unauthorized);
    const off = authenticatorWith(undefined);
    for (const present of [headers, {}]) {
      const asked = off.authenticate(new Headers(present), ["operator"], undefined, "GET");
      await expect(asked).rejects.toThrow(notFound);
    }
  });

  test("a revoked key is 403 and says so", async () => {
    const { key, secret, userId } = await makeKey();
    await revokeKey(fixture.fork(), fixture.actor(), key.id, buildKeysCreatedByUserFilter(userId));
    await expect(authenticate({ "x-api-key": secret })).rejects.toThrow(refusal(/revoked/));
  });

  test("a session ends by itself, by its end and with its user", async () => {
    const expired = await signIn();
    const ended = await signIn();
    const disabled = await signIn();
    const actor = fixture.sessionActor(ended.userId);
    await revokeSession(fixture.fork(), actor, ended.userId, ended.session.id);
    await setUserDisabled(
      fixture.fork(),
      fixture.actor(),
      disabled.userId,
      true,
      emptyTeamMembershipLookup,
    );
    for (const { token } of [ended, disabled]) {
      await expect(authenticate({ authorization: `Bearer ${token}` })).rejects.toThrow(
        unauthorized,
      );
    }
    clock.advance(30 * 24 * 60 * 60_000);
    await expect(authenticate({ authorization: `Bearer ${expired.token}` })).rejects.toThrow(
      unauthorized,
    );
  });
});

async function postWithCookie(headers: Record<string, string>) {
  const { token } = await signIn();
  const cookie = { cookie: `causeway_session=${token}`, ...headers };
  expect(await authenticate(cookie, ["session"], "GET")).toMatchObject({ kind: "session" });
  return authenticate(cookie, ["session"], "POST");
}

describe("cookies and origins", () => {
  const ours = "https://gateway.example.org";

  test.each<[string, Record<string, string>]>([
    ["same-origin fetch metadata", { "sec-fetch-site": "same-origin" }],
    ["the public origin", { origin: ours }],
    ["the host it was sent to", { origin: "http://127.0.0.1:8080", host: "127.0.0.1:8080" }],
  ])("a change from %s is allowed", async (_where, headers) => {
    expect(await postWithCookie(headers)).toMatchObject({ kind: "session" });
  });

  test.each<[string, Record<string, string>]>([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another site that names our origin", { "sec-fetch-site": "cross-site", origin: ours }],
    ["a sibling site", { "sec-fetch-site": "same-site" }],
    ["another origin", { origin: "https://evil.example", host: "127.0.0.1:8080" }],
    ["an opaque origin", { origin: "null" }],
    ["nowhere in particular", {}],
  ])("a change from %s is refused, reading is not", async (_where, headers) => {
    await expect(postWithCookie(headers)).rejects.toThrow(refusal(/origin/));
  });

  test("a bearer needs no origin", async () => {
    const { token } = await signIn();
    const headers = { authorization: `Bearer ${token}`, "sec-fetch-site": "cross-site" };
    expect(await authenticate(headers, ["session"], "POST")).toMatchObject({ kind: "session" });
  });
});

describe("authenticateModelCall()", () => {
  test("a warm call is answered synchronously and without SQL", async () => {
    const { key, secret } = await makeKey();
    const authenticator = authenticatorWith(operatorToken);
    const headers = { authorization: `Bearer ${secret}` };
    await authenticator.authenticateModelCall(headers, "gateway:invoke");
    fixture.statements = [];
    const resolved = authenticator.authenticateModelCall(headers, "gateway:invoke");
    expect(resolved).toMatchObject({ principal: { keyId: key.id }, route: "auto", mode: "model" });
    expect(fixture.statements).toEqual([]);
  });

  test("a missing scope is 403 and named; without one any live key will do", async () => {
    const { secret } = await makeKey([]);
    await expect(modelCall({ "x-api-key": secret }, "gateway:invoke")).rejects.toThrow(
      refusal(/gateway:invoke/),
    );
    expect(await modelCall({ "x-api-key": secret })).toMatchObject({ rejection: undefined });
  });

  test("a live session is 403, an unknown one 401", async () => {
    const { token } = await signIn();
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { cookie: `causeway_session=${token}` },
    ]) {
      await expect(modelCall(headers)).rejects.toThrow(refusal(/session/));
    }
    for (const headers of [
      { "x-api-key": token },
      { authorization: `Bearer ${generateCredentialToken("cws")}` },
    ]) {
      await expect(modelCall(headers)).rejects.toThrow(unauthorized);
    }
  });

  test("none, junk and the operator token are 401", async () => {
    for (const headers of [{}, { "x-api-key": "junk" }, { "x-api-key": operatorToken }]) {
      await expect(modelCall(headers)).rejects.toThrow(unauthorized);
    }
  });
});
