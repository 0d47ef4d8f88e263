import { describe, expect, test } from "vitest";
import { CallerKeySecretEntity } from "../../src/account/caller-key-secret.entity.ts";
import { createKey, maxActiveKeysPerUser } from "../../src/account/create-key.ts";
import {
  buildKeysCreatedByUserFilter,
  buildKeysManagedByUserFilter,
  listKeys,
} from "../../src/account/key-filter.ts";
import { revokeKey, rotateKey, updateKey } from "../../src/account/keys.ts";
import {
  emptyTeamMembershipLookup,
  type TeamMembershipLookup,
} from "../../src/account/team-membership.ts";
import { isWellFormedCredentialToken } from "../../src/platform/crypto/token.ts";
import { readPageRequest } from "../../src/platform/pagination.ts";
import { teamsWith, useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const { hasher } = fixture;
const forbidden = expect.objectContaining({ code: "insufficient_scope" });
const notFound = expect.objectContaining({ code: "not_found" });

async function makeKey(
  userId: string,
  teamId?: string,
  teams: TeamMembershipLookup = emptyTeamMembershipLookup,
) {
  const actor = fixture.sessionActor(userId);
  return createKey(fixture.fork(), actor, { userId, teamId }, {}, { hasher, teams });
}

describe("createKey()", () => {
  test("gives the defaults and shows a well-formed secret", async () => {
    const { id: userId } = await fixture.user();
    const { key, secret } = await makeKey(userId);
    expect(isWellFormedCredentialToken(secret, "cwk")).toBe(true);
    expect(key).toMatchObject({
      accountId: userId,
      name: "unnamed",
      prefix: secret.slice(0, 10),
      scopes: ["gateway:invoke"],
      route: "auto",
      mode: "model",
      allowedModels: [],
      budget: null,
      rateLimit: null,
      expiresAt: null,
    });
  });

  test("[identity.hashes] stores the secret as a keyed hash only", async () => {
    const { id: userId } = await fixture.user();
    const { key, secret } = await makeKey(userId);
    const rows = await fixture.fork().find(CallerKeySecretEntity, { key: key.id });
    expect(rows).toMatchObject([{ hash: hasher.hash(secret).hash, retiredAt: null }]);
    const dump = await fixture.fork().execute(
      `select k::text || s::text || e::text as row from caller_keys k
       join caller_key_secrets s on s.key_id = k.id join audit_events e on e.target = k.id
       where k.id = ?`,
      [key.id],
    );
    expect(JSON.stringify(dump)).not.toContain(secret.slice(10));
  });

  test("an empty list of scopes is kept", async () => {
    const { id: userId } = await fixture.user();
    const actor = fixture.sessionActor(userId);
    const ports = { hasher, teams: emptyTeamMembershipLookup };
    const made = await createKey(fixture.fork(), actor, { userId }, { scopes: [] }, ports);
    expect(made.key.scopes).toEqual([]);
  });

  test("a team key needs a membership and belongs to the team", async () => {
    const { id: userId } = await fixture.user();
    await expect(makeKey(userId, "team_a")).rejects.toThrow(notFound);
    const { key } = await makeKey(userId, "team_a", teamsWith({ team_a: { [userId]: "member" } }));
    expect(key).toMatchObject({ accountId: "team_a", teamId: "team_a" });
    expect(key.user.id).toBe(userId);
  });
});

describe("updateKey()", () => {
  test("changes what is sent and records only that", async () => {
    const { id: userId } = await fixture.user();
    const { key } = await makeKey(userId);
    const expiresAt = new Date("2030-01-01T00:00:00.000Z");
    const actor = fixture.sessionActor(userId);
    const change = (changes: Parameters<typeof updateKey>[4]) =>
      updateKey(fixture.fork(), actor, key.id, buildKeysCreatedByUserFilter(userId), changes);
    const changed = await change({ name: " laptop ", expiresAt });
    expect(changed).toMatchObject({ name: "laptop", route: "auto", expiresAt });
    expect(await change({ expiresAt: null })).toMatchObject({ name: "laptop", expiresAt: null });
    const events = await fixture.events(userId);
    expect(events.filter(({ type }) => type === "key.updated")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          before: { name: "unnamed", expires_at: null },
          after: { name: "laptop", expires_at: "2030-01-01T00:00:00.000Z" },
        }),
      ]),
    );
  });

  test("no change is no event", async () => {
    const { id: userId } = await fixture.user();
    const { key } = await makeKey(userId);
    const actor = fixture.sessionActor(userId);
    await updateKey(fixture.fork(), actor, key.id, buildKeysCreatedByUserFilter(userId), {});
    const types = (await fixture.events(userId)).map(({ type }) => type);
    expect(types).not.toContain("key.updated");
  });

  test("does not find the key of somebody else", async () => {
    const [{ id: userId }, { id: strangerId }] = [await fixture.user(), await fixture.user()];
    const { key } = await makeKey(userId);
    const actor = fixture.sessionActor(strangerId);
    const selection = buildKeysCreatedByUserFilter(strangerId);
    await expect(updateKey(fixture.fork(), actor, key.id, selection, {})).rejects.toThrow(notFound);
  });
});

describe("rotateKey()", () => {
  test("parallel rotations leave exactly one live secret", async () => {
    const { id: userId } = await fixture.user();
    const { key } = await makeKey(userId);
    const actor = fixture.sessionActor(userId);
    const rotations = await Promise.all(
      Array.from({ length: 4 }, () =>
        rotateKey(fixture.fork(), actor, key.id, buildKeysCreatedByUserFilter(userId), hasher),
      ),
    );
    const secrets = await fixture.fork().find(CallerKeySecretEntity, { key: key.id });
    expect(secrets).toHaveLength(5);
    const live = secrets.filter(({ retiredAt }) => retiredAt === null);
    const hashes = rotations.map(({ secret }) => hasher.hash(secret).hash);
    expect(live).toHaveLength(1);
    expect(hashes).toContain(live[0]?.hash);
  });

  test("refuses a revoked key", async () => {
    const { id: userId } = await fixture.user();
    const { key } = await makeKey(userId);
    const actor = fixture.sessionActor(userId);
    await revokeKey(fixture.fork(), actor, key.id, buildKeysCreatedByUserFilter(userId));
    await expect(
      rotateKey(fixture.fork(), actor, key.id, buildKeysCreatedByUserFilter(userId), hasher),
    ).rejects.toThrow(expect.objectContaining({ code: "conflict" }));
  });
});

describe("revokeKey()", () => {
  test("is told once and gives the key each time", async () => {
    const { id: userId } = await fixture.user();
    const { key } = await makeKey(userId);
    const actor = fixture.sessionActor(userId);
    const first = await revokeKey(
      fixture.fork(),
      actor,
      key.id,
      buildKeysCreatedByUserFilter(userId),
    );
    fixture.clock.advance(1000);
    const again = fixture.sessionActor(userId);
    const second = await revokeKey(
      fixture.fork(),
      again,
      key.id,
      buildKeysCreatedByUserFilter(userId),
    );
    expect(second.revokedAt).toEqual(first.revokedAt);
    const types = (await fixture.events(userId)).map(({ type }) => type);
    expect(types.filter((type) => type === "key.revoked")).toHaveLength(1);
  });
});

describe("keysManagedBy()", () => {
  test("[identity.team-key-managers] managers see and revoke team keys, and may not rotate them", async () => {
    const [maker, admin, editor] = [
      await fixture.user(),
      await fixture.user(),
      await fixture.user(),
    ];
    const teams = teamsWith({
      team_b: { [maker.id]: "member", [admin.id]: "admin", [editor.id]: "editor" },
    });
    const { key } = await makeKey(maker.id, "team_b", teams);
    const seenBy = async (userId: string) => {
      const em = fixture.fork();
      const selection = await buildKeysManagedByUserFilter(em, userId, teams);
      return (await listKeys(em, selection, readPageRequest({}))).rows.map(({ id }) => id);
    };
    expect(await seenBy(maker.id)).toEqual([key.id]);
    expect(await seenBy(admin.id)).toEqual([key.id]);
    expect(await seenBy(editor.id)).toEqual([]);
    const actor = fixture.sessionActor(admin.id);
    const selection = await buildKeysManagedByUserFilter(fixture.fork(), admin.id, teams);
    await expect(rotateKey(fixture.fork(), actor, key.id, selection, hasher)).rejects.toThrow(
      forbidden,
    );
    const revoked = await revokeKey(fixture.fork(), actor, key.id, selection);
    expect(revoked.revokedAt).not.toBeNull();
  });
});

describe("the bound of live keys", () => {
  const full = expect.objectContaining({ code: "conflict" });

  /** A person with as many live keys as allowed, but for `left`. */
  async function personWithKeys(left = 0): Promise<string> {
    const { id: userId } = await fixture.user();
    await makeKey(userId);
    await fixture.fork().execute(
      `insert into caller_keys select (jsonb_populate_record(k, jsonb_build_object(
         'id', 'key_' || gen_random_uuid()))).* from caller_keys k, generate_series(1, ?)
       where k.user_id = ?`,
      [maxActiveKeysPerUser - 1 - left, userId],
    );
    return userId;
  }

  test("createKey() rejects a key beyond it, for people, teams and the operator alike", async () => {
    const userId = await personWithKeys(1);
    const teams = teamsWith({ team_a: { [userId]: "member" } });
    const ports = { hasher, teams };
    const { key } = await makeKey(userId, "team_a", teams);
    await expect(makeKey(userId)).rejects.toThrow(full);
    await expect(makeKey(userId, "team_a", teams)).rejects.toThrow(full);
    const operator = createKey(fixture.fork(), fixture.actor(), { userId }, {}, ports);
    await expect(operator).rejects.toThrow(full);
    await revokeKey(
      fixture.fork(),
      fixture.sessionActor(userId),
      key.id,
      buildKeysCreatedByUserFilter(userId),
    );
    await makeKey(userId);
  });

  test("createKey() counts no expired keys, and one of many that come at once too many", async () => {
    const userId = await personWithKeys(2);
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => makeKey(userId)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    await fixture
      .fork()
      .execute(`update caller_keys set expires_at = '2020-01-01' where user_id = ?`, [userId]);
    await makeKey(userId);
  });

  test("updateKey() gives an expired key no new life beyond it", async () => {
    const userId = await personWithKeys(1);
    const actor = fixture.sessionActor(userId);
    const { key } = await makeKey(userId);
    const expire = (expiresAt: Date | null) =>
      updateKey(fixture.fork(), actor, key.id, buildKeysCreatedByUserFilter(userId), {
        expiresAt,
      });
    await expire(new Date(0));
    const other = await makeKey(userId);
    await expect(expire(null)).rejects.toThrow(full);
    await revokeKey(fixture.fork(), actor, other.key.id, buildKeysCreatedByUserFilter(userId));
    expect(await expire(null)).toMatchObject({ expiresAt: null });
  });

  test("rotateKey() rotates the last allowed key, and none of a person with more", async () => {
    const userId = await personWithKeys(1);
    const actor = fixture.sessionActor(userId);
    const { key } = await makeKey(userId);
    const rotate = () =>
      rotateKey(fixture.fork(), actor, key.id, buildKeysCreatedByUserFilter(userId), hasher);
    await rotate();
    await fixture.fork().execute(
      `insert into caller_keys select (jsonb_populate_record(k, jsonb_build_object(
         'id', 'key_' || gen_random_uuid()))).* from caller_keys k where k.id = ?`,
      [key.id],
    );
    await expect(rotate()).rejects.toThrow(full);
  });
});
