/** Invites from outside. */
import { describe, expect, it } from "vitest";
import { newAddress, refusal, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();
const sevenDays = 7 * 24 * 60 * 60_000;
const neverIssued = "inv_0000000000000000000000000000";

type Answer = Awaited<ReturnType<typeof world.call>>;

const codesOf = ({ body }: Answer): string[] => body.data.map(({ code }: { code: string }) => code);

describe("a new invite", () => {
  it("[limit.invite] [team.members] [team.invite-shape] has a code, the address and the role, and lives seven days", async () => {
    const { path, owner } = await world.ownTeam();
    const email = newAddress();
    const { status, body } = await world.invite({ path }, owner, email, "editor");
    expect(status).toBe(201);
    expect(body).toEqual({
      object: "team_invite",
      code: expect.stringMatching(/^inv_[0-9A-Za-z]{28}$/),
      email,
      role: "editor",
      created_at: expect.stringMatching(/Z$/),
      expires_at: new Date(Date.parse(body.created_at) + sevenDays).toISOString(),
    });
    const list = await world.as(owner, "GET", `${path}/invites`);
    expect(list.body.data).toEqual([body]);
  });

  it("[teams.invite] is for a member by default", async () => {
    const { path, owner } = await world.ownTeam();
    expect((await world.invite({ path }, owner)).body.role).toBe("member");
  });

  it("[invite.replace] replaces a pending one to the same address, however it is spelled", async () => {
    const { path, owner } = await world.ownTeam();
    const email = newAddress();
    const first = await world.invite({ path }, owner, email);
    const other = await world.invite({ path }, owner);
    const second = await world.invite({ path }, owner, ` ${email.toUpperCase()} `, "editor");
    const list = await world.as(owner, "GET", `${path}/invites`);
    expect(codesOf(list)).toEqual([other.body.code, second.body.code]);
    const guest = await world.user(email);
    const old = await world.as(guest, "POST", `/v1/team_invites/${first.body.code}/accept`);
    expect(old).toMatchObject(refusal(409, "conflict"));
  });

  it("[invites.member] is 400 with param email for somebody who is a member already", async () => {
    const { path, people } = await world.team("owner", "member");
    const [owner, member] = people;
    const answer = await world.invite({ path }, owner, member.email.toUpperCase());
    expect(answer).toMatchObject(refusal(400, "invalid_request", "email"));
  });

  it.each(["no address", "a@b@c", "a,b@example.org", ""])(
    "refuses the address %j",
    async (email) => {
      const { path, owner } = await world.ownTeam();
      const answer = await world.invite({ path }, owner, email);
      expect(answer).toMatchObject(refusal(400, "invalid_request", "email"));
    },
  );

  it("is made once under an Idempotency-Key", async () => {
    const { path, owner } = await world.ownTeam();
    const options = { token: owner.session, body: { email: newAddress() } };
    const headers = { "idempotency-key": "guest" };
    const invite = () => world.call("POST", `${path}/invites`, { ...options, headers });
    const [first, second] = [await invite(), await invite()];
    expect(second.body).toEqual(first.body);
    const types = await world.auditTypes({ path }, owner);
    expect(types.filter((type) => type === "invite.sent")).toHaveLength(1);
  });
});

describe("the list of invites", () => {
  it("[teams.invites] is for admins and owners, in the order they were sent", async () => {
    const { path, people } = await world.team("owner", "admin", "editor", "member");
    const [owner] = people;
    const sent = [];
    for (let count = 0; count < 3; count++) {
      sent.push((await world.invite({ path }, owner)).body.code);
    }
    const answers = [];
    for (const user of people) answers.push(await world.as(user, "GET", `${path}/invites`));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403]);
    expect(answers.slice(0, 2).map(codesOf)).toEqual([sent, sent]);
  });

  it("[invite.expire] loses what is accepted, revoked or expired", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    await world.join({ path }, owner, guest);
    const revoked = (await world.invite({ path }, owner)).body.code;
    await world.as(owner, "DELETE", `${path}/invites/${revoked}`);
    const expiring = (await world.invite({ path }, owner)).body.code;
    expect(codesOf(await world.as(owner, "GET", `${path}/invites`))).toEqual([expiring]);
    await world.expireInvites();
    expect(codesOf(await world.as(owner, "GET", `${path}/invites`))).toEqual([]);
    const after = await world.as(owner, "GET", `${path}/invites?after_id=${revoked}`);
    expect(after).toMatchObject({ status: 200, body: { data: [], first_id: null } });
  });
});

describe("revoking", () => {
  it("[invite.revoke] [invites.states] [team.revoked-shape] [teams.invite-revoke] stops the code at once and answers RevokedTeamInvite", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    const { code } = (await world.invite({ path }, owner, guest.email)).body;
    const answer = await world.as(owner, "DELETE", `${path}/invites/${code}`);
    expect(answer.body).toEqual({ object: "team_invite", code, revoked: true });
    const accepted = await world.as(guest, "POST", `/v1/team_invites/${code}/accept`);
    expect(accepted).toMatchObject(refusal(409, "conflict"));
    expect(accepted.headers.get("x-should-retry")).toBe("false");
    const again = await world.as(owner, "DELETE", `${path}/invites/${code}`);
    expect(again).toMatchObject(refusal(404, "not_found"));
    const nothing = await world.as(owner, "DELETE", `${path}/invites/${neverIssued}`);
    expect(nothing).toMatchObject(refusal(404, "not_found"));
  });

  it("is for admins and owners, whatever the invite's role", async () => {
    const { path, people } = await world.team("owner", "admin", "editor", "member");
    const [owner, admin, editor, member] = people;
    const { code } = (await world.invite({ path }, owner, newAddress(), "admin")).body;
    const revoke = (user: typeof owner) => world.as(user, "DELETE", `${path}/invites/${code}`);
    expect((await revoke(member)).status).toBe(403);
    expect((await revoke(editor)).status).toBe(403);
    expect((await revoke(admin)).status).toBe(200);
  });
});

describe("resending", () => {
  it("[invites.resend] [invite.resend] [teams.invite-resend] gives a fresh code and seven more days, at the end of the list; the old code is worthless", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    const first = (await world.invite({ path }, owner, guest.email, "editor")).body;
    const other = (await world.invite({ path }, owner)).body;
    const resent = await world.as(owner, "POST", `${path}/invites/${first.code}/resend`);
    expect(resent.status).toBe(200);
    const { code, created_at, expires_at } = resent.body;
    expect(resent.body).toEqual({ ...first, code, created_at, expires_at });
    expect(code).not.toBe(first.code);
    expect(created_at > first.created_at).toBe(true);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(sevenDays);
    expect(codesOf(await world.as(owner, "GET", `${path}/invites`))).toEqual([other.code, code]);
    const old = await world.as(guest, "POST", `/v1/team_invites/${first.code}/accept`);
    expect(old).toMatchObject(refusal(409, "conflict"));
    const joined = await world.as(guest, "POST", `/v1/team_invites/${code}/accept`);
    expect(joined).toMatchObject({ status: 200, body: { role: "editor" } });
  });

  it("[invite.resend] is 404 for a code never issued or of another team, 409 for one that has ended", async () => {
    const { path, owner } = await world.ownTeam();
    const elsewhere = await world.ownTeam();
    const { code } = (await world.invite(elsewhere, elsewhere.owner)).body;
    const resend = (which: string) => world.as(owner, "POST", `${path}/invites/${which}/resend`);
    expect(await resend(neverIssued)).toMatchObject(refusal(404, "not_found"));
    expect(await resend(code)).toMatchObject(refusal(404, "not_found"));
    const mine = (await world.invite({ path }, owner)).body.code;
    await world.as(owner, "DELETE", `${path}/invites/${mine}`);
    expect(await resend(mine)).toMatchObject(refusal(409, "conflict"));
    const expired = (await world.invite({ path }, owner)).body.code;
    await world.expireInvites();
    expect(await resend(expired)).toMatchObject(refusal(409, "conflict"));
  });

  it("[order.rank] refuses a rank that is too low before it says that the invite is over", async () => {
    const { path, people } = await world.team("owner", "editor");
    const [owner, editor] = people;
    const { code } = (await world.invite({ path }, owner)).body;
    await world.as(owner, "DELETE", `${path}/invites/${code}`);
    const resend = (user: typeof owner) => world.as(user, "POST", `${path}/invites/${code}/resend`);
    expect(await resend(editor)).toMatchObject(refusal(403, "insufficient_scope"));
    expect(await resend(owner)).toMatchObject(refusal(409, "conflict"));
  });

  it("needs a rank above the invite's role", async () => {
    const { path, people } = await world.team("owner", "admin");
    const [owner, admin] = people;
    const { code } = (await world.invite({ path }, owner, newAddress(), "admin")).body;
    const resend = (user: typeof owner) => world.as(user, "POST", `${path}/invites/${code}/resend`);
    expect(await resend(admin)).toMatchObject(refusal(403, "insufficient_scope"));
    expect((await resend(owner)).status).toBe(200);
  });

  it("happens once under an Idempotency-Key", async () => {
    const { path, owner } = await world.ownTeam();
    const { code } = (await world.invite({ path }, owner)).body;
    const headers = { "idempotency-key": "again" };
    const route = `${path}/invites/${code}/resend`;
    const resend = () => world.call("POST", route, { token: owner.session, headers });
    const [first, second] = [await resend(), await resend()];
    expect([second.status, second.body]).toEqual([200, first.body]);
  });
});

describe("accepting", () => {
  it("[invite.accept] [member.join] joins with the invited role and answers the Team", async () => {
    const { id, path, owner } = await world.ownTeam();
    const guest = await world.user();
    const joined = await world.join({ path }, owner, guest, "admin");
    expect(joined).toMatchObject({
      status: 200,
      body: { id, object: "team", role: "admin", member_count: 2 },
    });
    expect(await world.memberIds({ path }, guest)).toEqual([owner.id, guest.id]);
  });

  it("[teams.accept-errors] [invites.mismatch] is 403 for another address before anything of the invite's state is told", async () => {
    const { path, owner } = await world.ownTeam();
    const email = newAddress();
    const { code } = (await world.invite({ path }, owner, email)).body;
    const stranger = await world.user();
    const accept = () => world.as(stranger, "POST", `/v1/team_invites/${code}/accept`);
    const pending = await accept();
    expect(pending).toMatchObject(refusal(403, "invite_email_mismatch"));
    expect(JSON.stringify(pending.body)).not.toContain(email);
    await world.as(owner, "DELETE", `${path}/invites/${code}`);
    const { message } = (await accept()).body;
    expect(message).toBe(pending.body.message);
  });

  it("[teams.accept-errors] [invites.states] is 404 for a code never issued, 409 for one that was used or has expired", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    const accept = (code: string) => world.as(guest, "POST", `/v1/team_invites/${code}/accept`);
    expect(await accept(neverIssued)).toMatchObject(refusal(404, "not_found"));
    expect(await accept("nonsense")).toMatchObject(refusal(404, "not_found"));
    const { code } = (await world.invite({ path }, owner, guest.email)).body;
    expect((await accept(code)).status).toBe(200);
    expect(await accept(code)).toMatchObject(refusal(409, "conflict"));
    const late = await world.ownTeam();
    const expired = (await world.invite(late, late.owner, guest.email)).body.code;
    await world.expireInvites();
    expect(await accept(expired)).toMatchObject(refusal(409, "conflict"));
  });

  it.each([
    ["in other letters", "ADA.{n}@Example.ORG", "ada.{n}@example.org", 200],
    ["composed otherwise", "re\u0301mi.{n}@example.org", "r\u00e9mi.{n}@example.org", 200],
    [
      "in another spelling of the domain",
      "{n}@b\u00fccher.example",
      "{n}@xn--bcher-kva.example",
      200,
    ],
    ["without the dots", "a.d.a.{n}@example.org", "ada{n}@example.org", 403],
    ["without the tag", "{n}+team@example.org", "{n}@example.org", 403],
  ])("compares addresses as people mean them: %s", async (_how, invited, own, status) => {
    const { path, owner } = await world.ownTeam();
    const unique = newAddress().split("@")[0] ?? "";
    const { code } = (await world.invite({ path }, owner, invited.replace("{n}", unique))).body;
    const guest = await world.user(own.replace("{n}", unique));
    const answer = await world.as(guest, "POST", `/v1/team_invites/${code}/accept`);
    expect(answer.status).toBe(status);
  });

  it("is open to a key of the person that holds teams:write", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    const { code } = (await world.invite({ path }, owner, guest.email)).body;
    const route = `/v1/team_invites/${code}/accept`;
    const reader = await guest.createKey({ scopes: ["teams:read"] });
    expect((await world.call("POST", route, { token: reader.secret })).status).toBe(403);
    const writer = await guest.createKey({ scopes: ["teams:write"] });
    expect((await world.call("POST", route, { token: writer.secret })).status).toBe(200);
  });

  it("gives the same answer again under an Idempotency-Key", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    const { code } = (await world.invite({ path }, owner, guest.email)).body;
    const options = { token: guest.session, headers: { "idempotency-key": "join" } };
    const accept = () => world.call("POST", `/v1/team_invites/${code}/accept`, options);
    const [first, second] = [await accept(), await accept()];
    expect([second.status, second.body]).toEqual([200, first.body]);
  });

  describe("pools the member's present items", () => {
    const kindsIn = async (path: string, owner: Awaited<ReturnType<typeof world.user>>) => {
      const { body } = await world.as(owner, "GET", `${path}/items`);
      return body.data.map(({ kind }: { kind: string }) => kind);
    };

    it.each([
      ["[invites.share] as the team's defaults say", {}, undefined, ["rules", "skills"]],
      [
        "[teams.accept-mcp] [invites.share] but no MCP server unless the body says so",
        { share_defaults: { mcp: true, rules: true, skills: false } },
        undefined,
        ["rules"],
      ],
      ["[teams.accept-body] as the body says", {}, { mcp: true, rules: false }, ["mcp", "skills"]],
      [
        "[team.share-policy] never against the share policy",
        { share_policy: "editors" },
        { mcp: true },
        [],
      ],
    ])("%s", async (_what, settings, share, kinds) => {
      const { path, owner } = await world.ownTeam();
      await world.as(owner, "PATCH", path, settings);
      const guest = await world.user();
      for (const item of [
        { kind: "mcp", url: "http://127.0.0.1:1/mcp" },
        { kind: "rules", text: "Be brief." },
        { kind: "skills", name: "n", description: "d", text: "t" },
      ]) {
        expect((await world.as(guest, "POST", "/v1/items", item)).status).toBe(201);
      }
      const { code } = (await world.invite({ path }, owner, guest.email)).body;
      const body = share === undefined ? undefined : { share };
      await world.as(guest, "POST", `/v1/team_invites/${code}/accept`, body);
      expect(await kindsIn(path, owner)).toEqual(kinds);
      // Later items are pooled by hand, and who leaves takes its items along.
      await world.as(guest, "POST", "/v1/items", { kind: "rules", text: "Later." });
      expect(await kindsIn(path, owner)).toEqual(kinds);
      await world.as(guest, "DELETE", `${path}/members/${guest.id}`);
      expect(await kindsIn(path, owner)).toEqual([]);
    });
  });
});
