/** The audit log of a team: every change, by whom, from where, before and after. */
import { describe, expect, it } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import { refusal, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();

interface Event {
  readonly type: string;
  readonly target: string;
  readonly actor: {
    readonly user_id: string | null;
    readonly key_id: string | null;
    readonly kind: string | null;
  };
  readonly address: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

describe("the audit log of a team", () => {
  it("is read by admins and owners alone", async () => {
    const { path, people } = await world.team("owner", "admin", "editor", "member");
    const answers = [];
    for (const user of people) answers.push(await world.as(user, "GET", `${path}/audit`));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403]);
    const stranger = await world.user();
    expect(await world.as(stranger, "GET", `${path}/audit`)).toMatchObject(
      refusal(404, "not_found"),
    );
  });

  it("tells every change of the team, its members and its invites, and no refusal", async () => {
    const { id, path, owner } = await world.ownTeam();
    const guest = await world.user();
    const changes = { name: "Night", share_policy: "editors", require_manual_confirm: true };
    await world.as(owner, "PATCH", path, changes);
    await world.as(owner, "PATCH", path, changes);
    const { code } = (await world.invite({ path }, owner, guest.email, "editor")).body;
    const resent = await world.as(owner, "POST", `${path}/invites/${code}/resend`);
    await world.as(guest, "POST", `/v1/team_invites/${code}/accept`);
    await world.as(guest, "POST", `/v1/team_invites/${resent.body.code}/accept`);
    const member = `${path}/members/${guest.id}`;
    await world.as(guest, "PATCH", member, { groups: ["night"] });
    await world.as(owner, "PATCH", member, { role: "member", groups: ["night"] });
    await world.as(owner, "POST", `${member}/confirm`);
    await world.as(owner, "POST", `${member}/confirm`);
    const token = world.causeway.adminToken;
    await world.call("PUT", `/v1/admin/teams/${id}/owners/${guest.id}`, { token });
    const unwanted = (await world.invite({ path }, owner)).body.code;
    await world.as(owner, "DELETE", `${path}/invites/${unwanted}`);
    await world.as(guest, "DELETE", `${path}/members/${owner.id}`);

    const { body } = await world.as(guest, "GET", `${path}/audit?limit=100`);
    const events: Event[] = body.data;
    const settings = { mcp: false, rules: true, skills: true };
    const told = (type: string) =>
      events
        .filter((event) => event.type === type)
        .map(({ target, actor, before, after }) => ({ target, by: actor.user_id, before, after }));
    const created = {
      name: "Crew",
      share_defaults: settings,
      share_policy: "members",
      require_manual_confirm: false,
    };
    expect(told("team.created")).toEqual([
      { target: id, by: owner.id, before: null, after: created },
    ]);
    expect(told("team.updated")).toEqual([
      {
        target: id,
        by: owner.id,
        before: { name: "Crew", share_policy: "members", require_manual_confirm: false },
        after: changes,
      },
    ]);
    expect(told("membership.created")).toEqual([
      {
        target: owner.id,
        by: owner.id,
        before: null,
        after: { role: "owner", groups: [], confirmed: true },
      },
      {
        target: guest.id,
        by: guest.id,
        before: null,
        after: { role: "editor", groups: [], confirmed: false },
      },
    ]);
    expect(told("membership.updated")).toEqual([
      {
        target: guest.id,
        by: owner.id,
        before: { role: "editor", groups: [] },
        after: { role: "member", groups: ["night"] },
      },
      { target: guest.id, by: owner.id, before: { confirmed: false }, after: { confirmed: true } },
      { target: guest.id, by: null, before: { role: "member" }, after: { role: "owner" } },
    ]);
    expect(told("membership.deleted")).toEqual([
      {
        target: owner.id,
        by: guest.id,
        before: { role: "owner", groups: [], confirmed: true },
        after: null,
      },
    ]);
    expect(told("invite.sent").map(({ by }) => by)).toEqual([owner.id, owner.id, owner.id]);
    expect(told("invite.replaced")).toMatchObject([{ by: owner.id, before: { role: "editor" } }]);
    expect(told("invite.accepted")).toMatchObject([{ by: guest.id, before: { role: "editor" } }]);
    expect(told("invite.revoked")).toMatchObject([{ by: owner.id, before: { role: "member" } }]);
    expect(events).toHaveLength(14);
    expect(new Set(events.map(({ address }) => address))).toEqual(new Set(["127.0.0.1"]));
  });

  it("[shape.audit] names the invited address, to nobody else, until its person goes", async () => {
    const { id, path, owner } = await world.ownTeam();
    const guest = await world.user();
    const { code } = (await world.invite({ path }, owner, guest.email, "editor")).body;
    const { code: fresh } = (await world.as(owner, "POST", `${path}/invites/${code}/resend`)).body;
    await world.as(guest, "POST", `/v1/team_invites/${fresh}/accept`);
    const told = async (list: string, token: string) => {
      const { body } = await world.call("GET", list, { token });
      const events: readonly Event[] = body.data;
      const invites = events.filter(({ type }) => type.startsWith("invite."));
      // Those of one call have one time, and no order.
      return invites
        .map(({ type, before, after }) => [type, Object(before ?? after).email])
        .toSorted(([one], [other]) => String(one).localeCompare(String(other)));
    };
    const all = (email: string | undefined) => [
      ["invite.accepted", email],
      ["invite.replaced", email],
      ["invite.sent", email],
      ["invite.sent", email],
    ];
    expect(await told(`${path}/audit`, owner.session)).toEqual(all(guest.email));
    const first = (await world.as(owner, "GET", `${path}/audit`)).body.first_id as string;
    const later = `/v1/admin/audit?after_id=${first}`;
    expect(await told(later, world.causeway.adminToken)).toEqual(all(undefined));
    expect(await told("/v1/audit", guest.session)).toEqual([]);
    const kept = await world.sql("select * from audit_events where account_id = $1", [id]);
    expect(JSON.stringify(kept)).not.toContain(guest.email);
    await operator("DELETE", `/v1/admin/users/${guest.id}`);
    expect(await told(`${path}/audit`, owner.session)).toEqual(all(undefined));
  });
});

describe("the actor of an event", () => {
  it("[shape.audit] is a person, a key, the operator or nobody, told apart", async () => {
    const user = await world.user();
    const { secret } = await user.createKey({ scopes: ["endpoints:write"] });
    const body = { vendor: "openai" };
    await world.call("PUT", "/v1/aliases/a", { token: secret, body });
    await world.as(user, "PUT", "/v1/aliases/b", body);
    await world.call("POST", "/v1/sign_in", { body: { email: user.email } });
    const actors = async () => {
      const { data } = (await world.as(user, "GET", "/v1/audit?limit=100")).body;
      return data.map(({ type, actor }: Event) => [type, actor.kind, actor.user_id]);
    };
    await waitUntil(async () => (await actors()).length === 6);
    expect(await actors()).toEqual([
      ["user.created", "operator", null],
      ["session.created", "operator", null],
      ["key.created", "operator", null],
      ["alias.created", "key", user.id],
      ["alias.created", "user", user.id],
      ["login.code_sent", "nobody", null],
    ]);
  });

  it("of before that was kept is told as far as its ids tell", async () => {
    const user = await world.user();
    await world.as(user, "PUT", "/v1/aliases/a", { vendor: "openai" });
    await world.sql(
      `insert into audit_events
         select 'audit_of_before_' || id, account_id, type, at - interval '1 day', actor_user_id,
           actor_key_id, address, request_id, target, before, after, null
         from audit_events where account_id = $1`,
      [user.id],
    );
    const { data } = (await world.as(user, "GET", "/v1/audit?limit=100")).body;
    const kinds = data.map(({ type, actor }: Event) => [type, actor.kind]);
    expect(kinds.slice(0, 3)).toEqual([
      ["user.created", null],
      ["session.created", null],
      ["alias.created", "user"],
    ]);
  });
});

function operator(method: string, path: string) {
  return world.call(method, path, { token: world.causeway.adminToken });
}
