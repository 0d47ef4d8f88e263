/** How the codes of invites are stored. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { rewrapSealedColumns } from "../../src/domain/rewrap.ts";
import { allSealedColumns } from "../../src/app/start/rewrap-keys.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { readPageRequest } from "../../src/platform/pagination.ts";
import { TeamInviteCodes, teamInviteSealedColumns } from "../../src/team/invite-codes.ts";
import { createInvite, listPendingInvites, revokeInvite } from "../../src/team/invites.ts";
import { AccountFixture, useAccountFixture } from "../account/account-fixture.ts";
import { teamParts } from "./team-fixture.ts";
import { newAddress } from "./team-world.ts";

const accounts = useAccountFixture();

async function invited(fixture: AccountFixture = accounts) {
  const { dependencies, found } = teamParts(fixture);
  const owner = await fixture.user();
  const teamId = await found(owner);
  const actor = fixture.sessionActor(owner.id);
  const input = { email: newAddress(), role: "member" } as const;
  const invite = await createInvite(fixture.fork(), actor, teamId, input, dependencies);
  return { dependencies, actor, teamId, invite, code: dependencies.codes.open(invite) };
}

const stored = async (id: string) => {
  const rows = await accounts
    .fork()
    .execute<Record<string, unknown>[]>("select * from team_invites where id = ?", [id]);
  return rows[0] ?? {};
};

describe("a code", () => {
  it("[identity.invites-sealed] is stored as a keyed hash and sealed, and nowhere as it is", async () => {
    const { invite, code } = await invited();
    const row = await stored(invite.id);
    expect(code).toMatch(/^inv_[0-9A-Za-z]{28}$/);
    expect(row["code_hash"]).toBe(accounts.hasher.hash(code).hash);
    expect(row["code"]).toMatch(/^v1\./);
    for (const table of ["team_invites", "outgoing_mails", "audit_events"]) {
      const rows = await accounts.fork().execute(`select * from ${table}`);
      expect(JSON.stringify(rows)).not.toContain(code);
    }
  });

  it("loses its sealed copy once it is worthless", async () => {
    const { invite, code, dependencies, actor, teamId } = await invited();
    await revokeInvite(accounts.fork(), actor, teamId, code, dependencies);
    expect(await stored(invite.id)).toMatchObject({ state: "revoked", code: null });
  });

  it("opens in its own row alone", async () => {
    const [one, other] = [await invited(), await invited()];
    expect(() =>
      one.dependencies.codes.open({ id: other.invite.id, code: one.invite.code }),
    ).toThrow("cannot be opened");
  });
});

describe("re-wrapping", () => {
  it("[identity.invites-sealed] moves the codes to the first master key", async () => {
    expect(allSealedColumns).toEqual(expect.arrayContaining([...teamInviteSealedColumns]));
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const fixture = new AccountFixture();
    Object.assign(fixture, { box: new SecretBox([oldKey]) });
    await fixture.open();
    try {
      const { code, actor, teamId, dependencies } = await invited(fixture);
      const both = new SecretBox([newKey, oldKey]);
      const counts = await rewrapSealedColumns(fixture.fork(), both, teamInviteSealedColumns);
      expect(counts).toEqual([{ table: "team_invites", column: "code", seen: 1, moved: 1 }]);
      const codes = new TeamInviteCodes(fixture.hasher, new SecretBox([newKey]));
      const request = readPageRequest({});
      const page = await listPendingInvites(fixture.fork(), actor, teamId, request, {
        ...dependencies,
        codes,
      });
      expect(page.rows.map((row) => codes.open(row))).toEqual([code]);
    } finally {
      await fixture.close();
    }
  });
});
