/** The stream of alias changes lives as long as its credential, in numbers that are bounded. */
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import type { TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";
import { useTeamWorld } from "../team/team-world.ts";
import { endOf, openAliasStream } from "./alias-stream.ts";

const world = useTeamWorld();
const scopes = ["endpoints:read", "endpoints:write"];

/** A stream that has told its history, and what ends its credential. */
interface Ending {
  readonly token: string;
  readonly end: () => Promise<unknown>;
}

const endings: readonly (readonly [string, Code, () => Promise<Ending>])[] = [
  ["a revoked key", Code.PermissionDenied, () => keyEnding("DELETE")],
  ["a rotated key", Code.PermissionDenied, () => keyEnding("POST", "/rotate")],
  [
    "a key that lost the scope",
    Code.PermissionDenied,
    () => keyEnding("PATCH", "", { scopes: [] }),
  ],
  ["a key of a disabled user", Code.PermissionDenied, () => disabledUser("key")],
  ["a session of a disabled user", Code.Unauthenticated, () => disabledUser("session")],
  ["a key of a deleted user", Code.PermissionDenied, deletedUser],
  ["a session that signed out", Code.Unauthenticated, signedOut],
  ["a session that was revoked", Code.Unauthenticated, revokedSession],
  ["a team key whose maker left", Code.PermissionDenied, () => formerMaker("leaves")],
  ["a team key whose maker was removed", Code.PermissionDenied, () => formerMaker("is removed")],
  ["a key of a deleted team", Code.PermissionDenied, deletedTeam],
];

describe("a stream of aliases", () => {
  it.each(endings)(
    "[streams.credential] of %s ends within a second, as the next call would",
    async (_name, code, make) => {
      const { token, end } = await make();
      const stream = await openAliasStream(world.causeway.url, token);
      await end();
      const error = await endOf(stream);
      expect(error.code).toBe(code);
      const next = await stream.nextCall();
      expect([next?.code, next?.rawMessage]).toEqual([code, error.rawMessage]);
    },
  );

  it("of a key ends when the key expires", async () => {
    const user = await world.user();
    const expiresAt = Date.now() + 1500;
    const key = await user.createKey({ scopes, expires_at: new Date(expiresAt).toISOString() });
    const stream = await openAliasStream(world.causeway.url, key.secret);
    const error = await endOf(stream, expiresAt + 1000 - Date.now());
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect(error).toMatchObject({
      code: Code.PermissionDenied,
      rawMessage: "The key has expired.",
    });
  });

  it("of a session ends when the session does", async () => {
    const user = await world.user();
    await world.as(user, "GET", "/v1/me");
    const isNoted = "select 1 from sessions where user_id = $1 and last_used_at is not null";
    await waitUntil(async () => (await world.sql(isNoted, [user.id])).length > 0);
    // Noted once a minute, a further use does not put off the end.
    const expiresAt = Date.now() + 1500;
    await world.sql("update sessions set expires_at = $1 where user_id = $2", [
      new Date(expiresAt),
      user.id,
    ]);
    const stream = await openAliasStream(world.causeway.url, user.session);
    const error = await endOf(stream, expiresAt + 1000 - Date.now());
    expect(error.code).toBe(Code.Unauthenticated);
  });

  it("[streams.credential] tells nothing of what is written after its credential has ended", async () => {
    for (let round = 0; round < 10; round += 1) {
      const user = await world.user();
      const { id, secret } = await user.createKey({ scopes });
      const stream = await openAliasStream(world.causeway.url, secret);
      await setAlias(user, "before");
      await waitUntil(() => stream.told.length === 1);
      await world.as(user, "DELETE", `/v1/keys/${id}`);
      await setAlias(user, "after");
      await endOf(stream);
      expect(stream.told).toEqual(["before"]);
    }
  });

  it("goes on when another credential of its account ends", async () => {
    const user = await world.user();
    const [one, other] = [await user.createKey({ scopes }), await user.createKey({ scopes })];
    const stream = await openAliasStream(world.causeway.url, one.secret);
    await world.as(user, "DELETE", `/v1/keys/${other.id}`);
    await setAlias(user, "told");
    await waitUntil(() => stream.told.length > 0);
    expect(stream.told).toEqual(["told"]);
  });
});

describe("a key", () => {
  it("[streams.most] has at most sixteen streams open; the next is 429, and any that ends makes room", async () => {
    const user = await world.user();
    const [busy, other] = [await user.createKey({ scopes }), await user.createKey({ scopes })];
    const open = ({ secret }: { readonly secret: string }) =>
      openAliasStream(world.causeway.url, secret);
    const streams = await Promise.all(Array.from({ length: 16 }, () => open(busy)));
    await expect(open(busy)).rejects.toMatchObject({
      code: Code.ResourceExhausted,
      rawMessage: expect.stringMatching(/^This key has 16 streams .* Close one/),
    });
    await open(other);
    await openAliasStream(world.causeway.url, user.session);
    streams[0]?.leave();
    await waitUntil(() =>
      open(busy).then(
        () => true,
        () => false,
      ),
    );
    await expect(open(busy)).rejects.toMatchObject({ code: Code.ResourceExhausted });
  });

  it("[streams.most] of many parallel attempts has sixteen streams", async () => {
    const { secret } = await (await world.user()).createKey({ scopes });
    const attempts = Array.from({ length: 40 }, () => openAliasStream(world.causeway.url, secret));
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(16);
  });
});

async function keyEnding(method: string, path = "", body?: unknown): Promise<Ending> {
  const user = await world.user();
  const { id, secret } = await user.createKey({ scopes });
  return { token: secret, end: () => world.as(user, method, `/v1/keys/${id}${path}`, body) };
}

async function disabledUser(kind: "key" | "session"): Promise<Ending> {
  const user = await world.user();
  const token = kind === "key" ? (await user.createKey({ scopes })).secret : user.session;
  return { token, end: () => operator("PATCH", `/v1/admin/users/${user.id}`, { disabled: true }) };
}

async function deletedUser(): Promise<Ending> {
  const user = await world.user();
  const { secret } = await user.createKey({ scopes });
  return { token: secret, end: () => operator("DELETE", `/v1/admin/users/${user.id}`) };
}

async function signedOut(): Promise<Ending> {
  const user = await world.user();
  return { token: user.session, end: () => world.as(user, "POST", "/v1/sign_out") };
}

async function revokedSession(): Promise<Ending> {
  const user = await world.user();
  const { body } = await operator("POST", `/v1/admin/users/${user.id}/sessions`);
  const { data } = (await world.as(user, "GET", "/v1/sessions")).body;
  const other = data.at(-1).id as string;
  return { token: body.token, end: () => world.as(user, "DELETE", `/v1/sessions/${other}`) };
}

async function formerMaker(how: "leaves" | "is removed"): Promise<Ending> {
  const { id, path, people } = await world.team("owner", "admin");
  const [owner, maker] = people;
  const { secret } = await maker.createKey({ scopes, team_id: id });
  const by = how === "leaves" ? maker : owner;
  return { token: secret, end: () => world.as(by, "DELETE", `${path}/members/${maker.id}`) };
}

async function deletedTeam(): Promise<Ending> {
  const { id, path, owner } = await world.ownTeam();
  const { secret } = await owner.createKey({ scopes, team_id: id });
  return { token: secret, end: () => world.as(owner, "DELETE", path) };
}

function operator(method: string, path: string, body?: unknown) {
  return world.call(method, path, { token: world.causeway.adminToken, body });
}

function setAlias(user: TestUser, token: string) {
  return world.as(user, "PUT", `/v1/aliases/${token}`, { vendor: "openai" });
}
