/** What happens to teams when users are disabled or deleted, and who may sign in by an invite. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import { newAddress, refusal, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();

const asOperator = (method: string, path: string, body?: unknown) =>
  world.call(method, path, { token: world.causeway.adminToken, body });

describe("the last owner of a team", () => {
  it("[error.409-owner] is neither disabled nor deleted: 409 last_owner", async () => {
    const { id, path, people } = await world.team("owner", "admin");
    const [owner, admin] = people;
    const user = `/v1/admin/users/${owner.id}`;
    const disable = await asOperator("PATCH", user, { disabled: true });
    expect(disable).toMatchObject(refusal(409, "last_owner"));
    expect(await asOperator("DELETE", user)).toMatchObject(refusal(409, "last_owner"));
    expect((await world.as(owner, "GET", path)).status).toBe(200);
    await asOperator("PUT", `/v1/admin/teams/${id}/owners/${admin.id}`);
    expect((await asOperator("PATCH", user, { disabled: true })).status).toBe(200);
  });

  it("can go once the team is deleted", async () => {
    const { path, owner } = await world.ownTeam();
    await world.as(owner, "DELETE", path);
    expect((await asOperator("DELETE", `/v1/admin/users/${owner.id}`)).status).toBe(200);
  });
});

describe("a deleted user", () => {
  it("leaves every team, with an event in each and its items out of the pool", async () => {
    const { path, people } = await world.team("owner", "member");
    const [owner, member] = people;
    const item = await world.as(member, "POST", "/v1/items", { kind: "rules", text: "Be brief." });
    await world.as(member, "PUT", `${path}/items/${item.body.id}`);
    await asOperator("DELETE", `/v1/admin/users/${member.id}`);
    expect(await world.memberIds({ path }, owner)).toEqual([owner.id]);
    expect((await world.as(owner, "GET", path)).body.member_count).toBe(1);
    expect((await world.as(owner, "GET", `${path}/items`)).body.data).toEqual([]);
    const { body } = await world.as(owner, "GET", `${path}/audit?limit=100`);
    const left = body.data.find(({ type }: { type: string }) => type === "membership.deleted");
    expect(left).toMatchObject({
      target: member.id,
      actor: { user_id: null, key_id: null },
      before: { role: "member" },
      after: null,
    });
  });

  it("leaves no address behind in invites that are over", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    await world.join({ path }, owner, guest);
    await asOperator("DELETE", `/v1/admin/users/${guest.id}`);
    const left = "select 1 from team_invites where email = $1 or email_normalised = $1";
    expect(await world.sql(left, [guest.email])).toEqual([]);
  });

  it("is invited again as another person", async () => {
    const { path, people } = await world.team("owner", "member");
    const [owner, member] = people;
    await asOperator("DELETE", `/v1/admin/users/${member.id}`);
    const successor = await world.user(member.email);
    expect((await world.join({ path }, owner, successor)).status).toBe(200);
    expect(await world.memberIds({ path }, owner)).toEqual([owner.id, successor.id]);
  });
});

describe("a disabled user", () => {
  it("stays a member, and is one again when enabled", async () => {
    const { path, people } = await world.team("owner", "member");
    const [owner, member] = people;
    await asOperator("PATCH", `/v1/admin/users/${member.id}`, { disabled: true });
    expect(await world.memberIds({ path }, owner)).toEqual([owner.id, member.id]);
    expect((await world.as(member, "GET", path)).status).toBe(401);
  });
});

describe("an address with a pending invite", () => {
  it("[sign-in.invite] may sign in, joins as a new user, and may not any more once the invite is over", async () => {
    const { path, owner } = await world.ownTeam();
    const email = newAddress();
    const { code } = (await world.invite({ path }, owner, email)).body;
    const signInCode = await mailedCode(email);
    const finish = { email, code: signInCode };
    const { body } = await world.call("POST", "/v1/sign_in/finish", { body: finish });
    const accepted = await world.call("POST", `/v1/team_invites/${code}/accept`, {
      token: body.token,
    });
    expect(accepted).toMatchObject({ status: 200, body: { role: "member" } });

    const revoked = newAddress();
    const other = (await world.invite({ path }, owner, revoked)).body.code;
    await world.as(owner, "DELETE", `${path}/invites/${other}`);
    const before = (await messages()).length;
    expect((await world.call("POST", "/v1/sign_in", { body: { email: revoked } })).status).toBe(
      200,
    );
    expect((await messages()).length).toBe(before);
  });
});

async function messages(): Promise<string[]> {
  const outbox = join(world.causeway.dataDirectory, "outbox");
  const names = await readdir(outbox).catch((): string[] => []);
  return names.filter((name) => name.endsWith(".eml")).toSorted();
}

async function mailedCode(email: string): Promise<string> {
  const before = await messages();
  await world.call("POST", "/v1/sign_in", { body: { email } });
  const fresh = async () => (await messages()).find((name) => !before.includes(name));
  await waitUntil(async () => (await fresh()) !== undefined);
  const path = join(world.causeway.dataDirectory, "outbox", (await fresh()) ?? "");
  return /^\d{8}$/m.exec(await readFile(path, "utf8"))?.[0] ?? "";
}
