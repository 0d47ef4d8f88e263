import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKey } from "../../src/account/create-key.ts";
import { findSession, createSession } from "../../src/account/sessions.ts";
import { CallerKeyEntity } from "../../src/account/caller-key.entity.ts";
import { emptyTeamMembershipLookup } from "../../src/account/team-membership.ts";
import { UserEntity } from "../../src/account/user.entity.ts";
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  setUserDisabled,
} from "../../src/account/users.ts";
import { ApiError } from "../../src/platform/errors.ts";
import { readPageRequest } from "../../src/platform/pagination.ts";
import { useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const conflict = expect.objectContaining({ code: "conflict", status: 409 });
const notFound = expect.objectContaining({ code: "not_found", status: 404 });

function make(email: string) {
  return createUser(fixture.fork(), fixture.actor(), { email });
}

describe("createUser()", () => {
  test("keeps the typed address and tells the audit log who did it", async () => {
    const user = await createUser(fixture.fork(), fixture.actor(), {
      email: " Ann@Example.org",
      name: " Ann ",
    });
    expect(user).toMatchObject({ email: "Ann@Example.org", name: "Ann", disabledAt: null });
    expect(await fixture.events(user.id)).toMatchObject([
      {
        type: "user.created",
        target: user.id,
        actorUserId: null,
        actorKeyId: null,
        address: "192.0.2.7",
        requestId: "req_test",
      },
    ]);
  });

  test("refuses another spelling of a known address", async () => {
    await make("bob@example.org");
    await expect(make("BOB@Example.ORG")).rejects.toThrow(conflict);
  });

  test("of parallel calls with one address exactly one succeeds", async () => {
    const calls = Array.from({ length: 8 }, () => make("race@example.org"));
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refusals = results.flatMap((result) => ("reason" in result ? [result.reason] : []));
    expect(refusals).toEqual(Array.from({ length: 7 }, () => conflict));
  });

  test("refuses an empty name", async () => {
    const input = { email: "nameless@example.org", name: "  " };
    await expect(createUser(fixture.fork(), fixture.actor(), input)).rejects.toThrow(
      expect.objectContaining({ code: "invalid_request", param: "name" }),
    );
  });
});

describe("setUserDisabled()", () => {
  test("ends the sessions, and enabling does not bring them back", async () => {
    const user = await fixture.user();
    const { token } = await fixture
      .fork()
      .transactional((em) =>
        Promise.resolve(createSession(em, fixture.actor(), user, fixture.hasher)),
      );
    const now = new Date(fixture.clock.now());
    const isSignedIn = async () =>
      (await findSession(fixture.fork(), fixture.hasher, token, now)) !== undefined;
    expect(await isSignedIn()).toBe(true);
    await setUserDisabled(
      fixture.fork(),
      fixture.actor(),
      user.id,
      true,
      emptyTeamMembershipLookup,
    );
    expect(await isSignedIn()).toBe(false);
    await setUserDisabled(
      fixture.fork(),
      fixture.actor(),
      user.id,
      false,
      emptyTeamMembershipLookup,
    );
    expect(await isSignedIn()).toBe(false);
  });

  test("is told once, however often it is repeated", async () => {
    const user = await fixture.user();
    fixture.clock.advance(1);
    await setUserDisabled(
      fixture.fork(),
      fixture.actor(),
      user.id,
      true,
      emptyTeamMembershipLookup,
    );
    await setUserDisabled(
      fixture.fork(),
      fixture.actor(),
      user.id,
      true,
      emptyTeamMembershipLookup,
    );
    const types = (await fixture.events(user.id)).map(({ type }) => type);
    expect(types).toEqual(["user.created", "user.disabled"]);
  });

  test("[operations.last-owner] changes nothing when a team would lose its last owner", async () => {
    const user = await fixture.user();
    const refusal = new ApiError("last_owner", "The user is the last owner of a team.");
    const teams = {
      ...emptyTeamMembershipLookup,
      assertNotLastOwner: () => Promise.reject(refusal),
    };
    await expect(
      setUserDisabled(fixture.fork(), fixture.actor(), user.id, true, teams),
    ).rejects.toThrow(refusal);
    await expect(deleteUser(fixture.fork(), fixture.actor(), user.id, { teams })).rejects.toThrow(
      refusal,
    );
    expect((await getUser(fixture.fork(), user.id)).disabledAt).toBeNull();
  });
});

describe("deleteUser()", () => {
  test("revokes keys, erases the address and keeps the audit events", async () => {
    const user = await createUser(fixture.fork(), fixture.actor(), { email: "gone@example.org" });
    const ports = { hasher: fixture.hasher, teams: emptyTeamMembershipLookup };
    const owner = { userId: user.id };
    const { key } = await createKey(fixture.fork(), fixture.actor(), owner, {}, ports);
    await deleteUser(fixture.fork(), fixture.actor(), user.id, {
      teams: emptyTeamMembershipLookup,
    });
    await expect(getUser(fixture.fork(), user.id)).rejects.toThrow(notFound);
    const left = await fixture
      .fork()
      .findOneOrFail(CallerKeyEntity, key.id, { populate: ["user"] });
    expect(left.revokedAt).not.toBeNull();
    expect(left.user).toMatchObject({ email: "", emailNormalised: "", name: null });
    const types = (await fixture.events(user.id)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["user.created", "key.created", "user.deleted"]));
  });

  test("erases what other domains keep of the account, or nothing at all", async () => {
    const user = await fixture.user();
    const erased: string[] = [];
    const erase = [
      (_em: unknown, accountId: string) => {
        erased.push(accountId);
        return Promise.resolve();
      },
    ];
    await deleteUser(fixture.fork(), fixture.actor(), user.id, {
      teams: emptyTeamMembershipLookup,
      erase,
    });
    expect(erased).toEqual([user.id]);
    const other = await fixture.user();
    const failing = {
      teams: emptyTeamMembershipLookup,
      erase: [() => Promise.reject(new Error("held"))],
    };
    const attempt = deleteUser(fixture.fork(), fixture.actor(), other.id, failing);
    await expect(attempt).rejects.toThrow("held");
    expect(await getUser(fixture.fork(), other.id)).toMatchObject({ email: other.email });
  });

  test("frees the address", async () => {
    const input = { email: "again@example.org" };
    const first = await createUser(fixture.fork(), fixture.actor(), input);
    await deleteUser(fixture.fork(), fixture.actor(), first.id, {
      teams: emptyTeamMembershipLookup,
    });
    const second = await createUser(fixture.fork(), fixture.actor(), input);
    expect(second.id).not.toBe(first.id);
  });

  test("does not find a user twice", async () => {
    const user = await fixture.user();
    await deleteUser(fixture.fork(), fixture.actor(), user.id, {
      teams: emptyTeamMembershipLookup,
    });
    await expect(
      deleteUser(fixture.fork(), fixture.actor(), user.id, { teams: emptyTeamMembershipLookup }),
    ).rejects.toThrow(notFound);
  });
});

describe("listUsers()", () => {
  test("pages like a list in memory, whatever was removed in between", async () => {
    for (let index = 0; index < 12; index++) {
      fixture.clock.advance(1);
      const { id } = await fixture.user();
      if (index % 3 === 0)
        await deleteUser(fixture.fork(), fixture.actor(), id, { teams: emptyTeamMembershipLookup });
    }
    const users = await fixture
      .fork()
      .find(UserEntity, {}, { orderBy: { createdAt: "asc", id: "asc" } });
    const ids = users.map(({ id }) => id);
    const removed = users.filter(({ deletedAt }) => deletedAt !== null);
    const isLive = (id: string) => removed.every((user) => user.id !== id);
    const page = fc.record({ at: fc.nat(ids.length - 1), limit: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(page, async ({ at, limit }) => {
        const cursor = ids[at] ?? "";
        const before = ids.slice(0, at).filter(isLive);
        const after = ids.slice(at + 1).filter(isLive);
        const forwards = await listUsers(
          fixture.fork(),
          readPageRequest({ limit, afterId: cursor }),
        );
        expect(forwards.rows.map(({ id }) => id)).toEqual(after.slice(0, limit));
        expect(forwards.hasMore).toBe(after.length > limit);
        const backwards = await listUsers(
          fixture.fork(),
          readPageRequest({ limit, beforeId: cursor }),
        );
        expect(backwards.rows.map(({ id }) => id)).toEqual(before.slice(-limit));
        expect(backwards.hasMore).toBe(before.length > limit);
      }),
      { numRuns: 25 },
    );
  });

  test("refuses an id that was never a user", async () => {
    const request = readPageRequest({ afterId: "user_00000000000000000000000000" });
    await expect(listUsers(fixture.fork(), request)).rejects.toThrow(
      expect.objectContaining({ code: "invalid_request", param: "after_id" }),
    );
  });
});

describe("audit_events", () => {
  test.each([
    "update audit_events set type = 'x'",
    "delete from audit_events",
    "truncate audit_events",
  ])("the database refuses: %s", async (sql) => {
    await fixture.user();
    await expect(fixture.fork().execute(sql)).rejects.toThrow("audit_events is append-only");
  });
});
