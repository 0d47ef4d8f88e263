/**
 * Calls that are repeated with their `Idempotency-Key`: who has lost the right to
 * make them, or never had it, does not get the answer either.
 */
import { describe, expect, it } from "vitest";
import type { RestAnswer, TestUser } from "../support/test-instance.ts";
import { newAddress, refusal, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();
const scopes = ["teams:read", "teams:write"];

/** A call that is the same each time, but for its caller. */
type Call = (token: string) => Promise<RestAnswer>;

/** What a team may repeat, on a team of two owners, an admin and a member. */
interface Case {
  readonly call: Call;
  readonly admin: TestUser;
  readonly demote: () => Promise<RestAnswer>;
  readonly remove: () => Promise<RestAnswer>;
  readonly adminKey: string;
  readonly memberKey: string;
}

function post(path: string, body?: unknown): Call {
  const headers = { "idempotency-key": "again" };
  return (token) => world.call("POST", path, { token, body, headers });
}

async function caseOf(callOf: (path: string, owner: TestUser) => Promise<Call>): Promise<Case> {
  const { id, path, people } = await world.team("owner", "admin", "member");
  const [owner, admin, member] = people;
  const seat = `${path}/members/${admin.id}`;
  return {
    call: await callOf(path, owner),
    admin,
    demote: () => world.as(owner, "PATCH", seat, { role: "member" }),
    remove: () => world.as(owner, "DELETE", seat),
    adminKey: (await admin.createKey({ scopes, team_id: id })).secret,
    memberKey: (await member.createKey({ scopes, team_id: id })).secret,
  };
}

const sendInvite = async (path: string) => post(`${path}/invites`, { email: newAddress() });

const resendInvite = async (path: string, owner: TestUser) => {
  const { code } = (await world.invite({ path }, owner)).body;
  return post(`${path}/invites/${code}/resend`);
};

describe.each([
  ["createTeamInvite", 201, sendInvite],
  ["resendTeamInvite", 200, resendInvite],
])("%s, made again", (_operation, status, callOf) => {
  it("has the same answer, and happens once", async () => {
    const { call, admin } = await caseOf(callOf);
    const first = await call(admin.session);
    const again = await call(admin.session);
    expect([again.status, again.body]).toEqual([status, first.body]);
  });

  it("[idempotency.rights] is 403 for a team key that never had the rank", async () => {
    const { call, adminKey, memberKey } = await caseOf(callOf);
    const { status: given, body } = await call(adminKey);
    expect(given).toBe(status);
    const refused = await call(memberKey);
    expect(refused).toMatchObject(refusal(403, "insufficient_scope"));
    expect(JSON.stringify(refused.body)).not.toContain(body.code);
    expect((await call(adminKey)).body).toEqual(body);
  });

  it("[idempotency.rights] is 403 for who has lost the rank, by session and team key", async () => {
    const { call, admin, adminKey, demote } = await caseOf(callOf);
    expect((await call(admin.session)).status).toBe(status);
    expect((await demote()).status).toBe(200);
    expect(await call(admin.session)).toMatchObject(refusal(403, "insufficient_scope"));
    expect(await call(adminKey)).toMatchObject(refusal(403, "insufficient_scope"));
  });

  it("[idempotency.rights] is 404 for who is no longer a member", async () => {
    const { call, admin, remove } = await caseOf(callOf);
    expect((await call(admin.session)).status).toBe(status);
    expect((await remove()).status).toBe(200);
    expect(await call(admin.session)).toMatchObject(refusal(404, "not_found"));
  });
});

it("another body is 400 before the team and the rank are looked at", async () => {
  const { id, path, people } = await world.team("owner", "admin", "member");
  const [, admin, member] = people;
  const keys = [
    await admin.createKey({ scopes, team_id: id }),
    await member.createKey({ scopes, team_id: id }),
  ];
  const answers = [];
  for (const { secret } of keys) answers.push(await (await sendInvite(path))(secret));
  expect(answers[0]?.status).toBe(201);
  expect(answers[1]).toMatchObject(refusal(400, "invalid_request", "Idempotency-Key"));
});

describe("acceptTeamInvite again", () => {
  it("has the same answer for whoever joined by it", async () => {
    const { accept, guest } = await accepted();
    const [first, again] = [await accept(guest.session), await accept(guest.session)];
    expect(first).toMatchObject({ status: 200, body: { object: "team", role: "member" } });
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it.each(["left", "was removed"])(
    "[idempotency.rights] is 409 for whoever %s since",
    async (how) => {
      const { accept, guest, owner, path } = await accepted();
      expect((await accept(guest.session)).status).toBe(200);
      const by = how === "left" ? guest : owner;
      await world.as(by, "DELETE", `${path}/members/${guest.id}`);
      expect(await accept(guest.session)).toMatchObject(refusal(409, "conflict"));
    },
  );

  it("is 403 for another person", async () => {
    const { accept, guest } = await accepted();
    await accept(guest.session);
    const other = await world.user();
    expect(await accept(other.session)).toMatchObject(refusal(403, "invite_email_mismatch"));
  });
});

/** What a key does and does again, with the scope and without. */
const byScope: readonly (readonly [string, string, string, unknown])[] = [
  ["createTeam", "/v1/teams", "teams:write", { name: "Crew" }],
  ["createItem", "/v1/items", "teams:write", { kind: "rules", text: "Be brief." }],
  [
    "createUpstream",
    "/v1/upstreams",
    "endpoints:write",
    { label: "Box", base_url: "http://127.0.0.1:9/v1", api_key: "k" },
  ],
];

it.each(byScope)(
  "%s again is 403 for a key without the scope",
  async (_name, path, scope, body) => {
    const user = await world.user();
    const call = post(path, body);
    const [able, other] = [await user.createKey({ scopes: [scope] }), await user.createKey()];
    const { id: keyId, secret } = able;
    const first = await call(secret);
    expect(first.status).toBe(201);
    expect((await call(secret)).body).toEqual(first.body);
    expect(await call(other.secret)).toMatchObject(refusal(403, "insufficient_scope"));
    await world.as(user, "PATCH", `/v1/keys/${keyId}`, { scopes: [] });
    expect(await call(secret)).toMatchObject(refusal(403, "insufficient_scope"));
  },
);

it.each([
  ["createUser", "/v1/admin/users", async () => ({ email: newAddress() })],
  ["addUserCredits", "", async () => ({ amount_usd: 5 })],
  ["addTeamCredits", "", async () => ({ amount_usd: 5 })],
])("%s again is the operator's alone", async (name, fixedPath, bodyOf) => {
  const { id, owner } = await world.ownTeam();
  const path =
    name === "addUserCredits"
      ? `/v1/admin/users/${owner.id}/credits`
      : name === "addTeamCredits"
        ? `/v1/admin/teams/${id}/credits`
        : fixedPath;
  const call = post(path, await bodyOf());
  const { adminToken } = world.causeway;
  const first = await call(adminToken);
  expect((await call(adminToken)).body).toEqual(first.body);
  expect(await call(owner.session)).toMatchObject(refusal(403, "insufficient_scope"));
  expect(await call(`${adminToken}x`)).toMatchObject(refusal(401, "unauthorized"));
});

async function accepted() {
  const { path, owner } = await world.ownTeam();
  const guest = await world.user();
  const { code } = (await world.invite({ path }, owner, guest.email)).body;
  return { accept: post(`/v1/team_invites/${code}/accept`, {}), guest, owner, path };
}
