import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CallerKeyDirectory } from "../../src/account/key-directory.ts";
import { createKey } from "../../src/account/create-key.ts";
import {
  UnknownCredentialRateLimiter,
  type UnknownCredentialRateLimit,
} from "../../src/account/unknown-credential-limiter.ts";
import { buildKeysCreatedByUserFilter } from "../../src/account/key-filter.ts";
import { recordKeysLastUsed, revokeKey, rotateKey, updateKey } from "../../src/account/keys.ts";
import {
  emptyTeamMembershipLookup,
  type TeamMembershipLookup,
} from "../../src/account/team-membership.ts";
import { deleteUser, setUserDisabled } from "../../src/account/users.ts";
import { generateCredentialToken } from "../../src/platform/crypto/token.ts";
import { DatabaseChangeFeed } from "../../src/platform/database/change-feed.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { waitUntil } from "../support/wait-until.ts";
import { silentLog, teamsWith, useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const { hasher } = fixture;

const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

function directoryWith(
  teams: TeamMembershipLookup = emptyTeamMembershipLookup,
  allowance?: UnknownCredentialRateLimit,
) {
  const feed = new FakeFeed();
  let isAway = false;
  const fork = () => {
    if (isAway) throw refused;
    return fixture.fork();
  };
  const { clock } = fixture;
  const lookUps = new UnknownCredentialRateLimiter(clock, allowance);
  const directory = new CallerKeyDirectory({
    fork,
    feed,
    hasher,
    teams,
    clock,
    unknownCredentials: lookUps,
  });
  const setAway = (away: boolean) => {
    isAway = away;
  };
  return { directory, feed, setAway };
}

async function makeKey(teamId?: string, teams = emptyTeamMembershipLookup) {
  const { id: userId } = await fixture.user();
  const membership = teamId === undefined ? teams : teamsWith({ [teamId]: { [userId]: "member" } });
  const owner = { userId, teamId };
  const ports = { hasher, teams: membership };
  const made = await createKey(fixture.fork(), fixture.actor(), owner, {}, ports);
  return { ...made, userId };
}

describe("CallerKeyDirectory", () => {
  test("a warm look-up is synchronous and does no SQL", async () => {
    const { secret, key, userId } = await makeKey();
    const { directory } = directoryWith();
    await directory.lookup(secret);
    fixture.statements = [];
    const found = directory.lookup(secret);
    expect(found).toMatchObject({
      principal: { kind: "key", keyId: key.id, accountId: userId, userId, teamId: undefined },
      rejection: undefined,
    });
    expect(fixture.statements).toEqual([]);
  });

  test("[identity.junk] junk is refused without a look-up, unknown keys are looked up once", async () => {
    const { directory } = directoryWith();
    const unknown = generateCredentialToken("cwk");
    fixture.statements = [];
    expect(directory.lookup("cwk_junk")).toBeUndefined();
    expect(directory.lookup(`${unknown.slice(0, -1)}_`)).toBeUndefined();
    expect(fixture.statements).toHaveLength(0);
    expect(await directory.lookup(unknown)).toBeUndefined();
    expect(directory.lookup(unknown)).toBeUndefined();
    expect(fixture.statements).toHaveLength(1);
    fixture.clock.advance(10_000);
    await directory.lookup(unknown);
    expect(fixture.statements).toHaveLength(2);
  });

  test("says why a key is refused", async () => {
    const { directory, feed } = directoryWith();
    const refusal = async (secret: string) => {
      feed.reset();
      return (await directory.lookup(secret))?.rejection;
    };
    const { secret, key, userId } = await makeKey();
    const selection = buildKeysCreatedByUserFilter(userId);
    const { secret: next } = await rotateKey(
      fixture.fork(),
      fixture.actor(),
      key.id,
      selection,
      hasher,
    );
    expect(await refusal(secret)).toBe("rotated");
    expect(await refusal(next)).toBeUndefined();
    await setUserDisabled(fixture.fork(), fixture.actor(), userId, true, emptyTeamMembershipLookup);
    expect(await refusal(next)).toBe("disabled");
    await setUserDisabled(
      fixture.fork(),
      fixture.actor(),
      userId,
      false,
      emptyTeamMembershipLookup,
    );
    expect(await refusal(next)).toBeUndefined();
    await deleteUser(fixture.fork(), fixture.actor(), userId, { teams: emptyTeamMembershipLookup });
    expect(await refusal(next)).toBe("revoked");
  });

  test("a cached key expires on time", async () => {
    const { secret, key, userId } = await makeKey();
    const expiresAt = new Date(fixture.clock.now() + 5_000);
    await updateKey(fixture.fork(), fixture.actor(), key.id, buildKeysCreatedByUserFilter(userId), {
      expiresAt,
    });
    const { directory } = directoryWith();
    await directory.lookup(secret);
    fixture.clock.advance(4_999);
    expect(directory.lookup(secret)).toMatchObject({ rejection: undefined });
    fixture.clock.advance(1);
    expect(directory.lookup(secret)).toMatchObject({ rejection: "expired" });
  });

  test("[identity.team-key-left] a team key is refused once its maker has left", async () => {
    const { secret } = await makeKey("team_d");
    const { directory, feed } = directoryWith();
    expect(await directory.lookup(secret)).toMatchObject({ rejection: "left_team" });
    const { directory: member } = directoryWith({
      ...emptyTeamMembershipLookup,
      rankOf: () => Promise.resolve("member"),
    });
    expect(await member.lookup(secret)).toMatchObject({
      principal: { teamId: "team_d", accountId: "team_d" },
      rejection: undefined,
    });
    directory.dropAccount("team_d");
    expect(directory.lookup(secret)).toBeInstanceOf(Promise);
    feed.reset();
  });

  test("a change of the key or of its user drops it", async () => {
    const { secret, key, userId } = await makeKey();
    const { directory, feed } = directoryWith();
    for (const [table, id] of [
      ["caller_keys", key.id],
      ["users", userId],
    ] as const) {
      await directory.lookup(secret);
      expect(directory.lookup(secret)).not.toBeInstanceOf(Promise);
      feed.announce({ table, id, accountId: userId });
      expect(directory.lookup(secret)).toBeInstanceOf(Promise);
    }
  });

  test("a read that a change overtook is used once and not kept", async () => {
    const { secret, key, userId } = await makeKey();
    const { directory, feed } = directoryWith();
    const reading = directory.lookup(secret);
    await revokeKey(fixture.fork(), fixture.actor(), key.id, buildKeysCreatedByUserFilter(userId));
    feed.announce({ table: "caller_keys", id: key.id, accountId: userId });
    await reading;
    expect(await directory.lookup(secret)).toMatchObject({ rejection: "revoked" });
  });

  test("while the feed is not trusted every call reads the database", async () => {
    const { secret, key, userId } = await makeKey();
    const { directory, feed } = directoryWith();
    await directory.lookup(secret);
    feed.become("silent");
    expect(await directory.lookup(secret)).toMatchObject({ rejection: undefined });
    await revokeKey(fixture.fork(), fixture.actor(), key.id, buildKeysCreatedByUserFilter(userId));
    expect(await directory.lookup(secret)).toMatchObject({ rejection: "revoked" });
  });
});

describe("CallerKeyDirectory without a database", () => {
  const unavailable = expect.objectContaining({ code: "unavailable", retryAfterSeconds: 1 });

  test.each(["down", "silent"] as const)(
    "[away.cached] a cached key works on for fifteen minutes (%s)",
    async (state) => {
      const { secret } = await makeKey();
      const { directory, feed, setAway } = directoryWith();
      await directory.lookup(secret);
      // Confirmed all the time by the feed, though nobody called.
      fixture.clock.advance(60 * 60_000);
      feed.become(state);
      setAway(true);
      fixture.clock.advance(15 * 60_000);
      expect(await directory.lookup(secret)).toMatchObject({ rejection: undefined });
      fixture.clock.advance(1);
      await expect(directory.lookup(secret)).rejects.toThrow(unavailable);
    },
  );

  test("[away.refused] an unknown key is 503, never unknown", async () => {
    const { directory, feed, setAway } = directoryWith();
    feed.become("down");
    setAway(true);
    await expect(directory.lookup(generateCredentialToken("cwk"))).rejects.toThrow(unavailable);
  });
});

describe("a flood of different unknown keys", () => {
  const allowance = { burst: 3, refillMs: 1000 };
  const attacker = "192.0.2.1";
  const tooMany = expect.objectContaining({
    code: "rate_limited",
    status: 429,
    retryAfterSeconds: 1,
  });

  test("is looked up for one network so many times and no more", async () => {
    const { directory } = directoryWith(emptyTeamMembershipLookup, allowance);
    fixture.statements = [];
    const flood = Array.from({ length: 20 }, async () => {
      return directory.lookup(generateCredentialToken("cwk"), attacker);
    });
    const results = await Promise.allSettled(flood);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(results.at(-1)).toMatchObject({ status: "rejected", reason: tooMany });
    expect(fixture.statements).toHaveLength(3);
    expect(await directory.lookup(generateCredentialToken("cwk"), "192.0.2.2")).toBeUndefined();
  });

  test("stops no key that is known, and a real one that is not as long as it lasts", async () => {
    const [known, cold] = [await makeKey(), await makeKey()];
    const { directory, feed } = directoryWith(emptyTeamMembershipLookup, allowance);
    await directory.lookup(known.secret, attacker);
    for (let count = 0; count < 3; count++)
      await directory.lookup(generateCredentialToken("cwk"), attacker);
    expect(directory.lookup(known.secret, attacker)).toMatchObject({ rejection: undefined });
    await expect(directory.lookup(cold.secret, attacker)).rejects.toEqual(tooMany);
    feed.reset();
    expect(await directory.lookup(known.secret, attacker)).toMatchObject({ rejection: undefined });
  });

  test("costs real keys nothing", async () => {
    const { directory } = directoryWith(emptyTeamMembershipLookup, allowance);
    for (let count = 0; count < 6; count++) {
      const { secret } = await makeKey();
      expect(await directory.lookup(secret, attacker)).toMatchObject({ rejection: undefined });
    }
  });
});

describe("CallerKeyDirectory on the real change feed", () => {
  test("two processes refuse a revoked key within a second, and last use drops nothing", async () => {
    const { connectionString } = fixture.database;
    const feeds = [0, 1].map(() => new DatabaseChangeFeed({ connectionString, log: silentLog }));
    await Promise.all(feeds.map((feed) => feed.start()));
    try {
      const clock = { now: Date.now };
      const lookUps = new UnknownCredentialRateLimiter(clock);
      const ports = {
        fork: fixture.fork,
        hasher,
        teams: emptyTeamMembershipLookup,
        clock,
        unknownCredentials: lookUps,
      };
      const directories = feeds.map((feed) => new CallerKeyDirectory({ ...ports, feed }));
      const { secret, key, userId } = await makeKey();
      const isWarm = () => directories.every((each) => !(each.lookup(secret) instanceof Promise));
      await waitUntil(isWarm);
      await recordKeysLastUsed(fixture.fork(), [key.id], new Date());
      await updateKey(
        fixture.fork(),
        fixture.actor(),
        key.id,
        buildKeysCreatedByUserFilter(userId),
        {
          name: randomBytes(4).toString("hex"),
        },
      );
      await waitUntil(isWarm);
      const revokedAt = performance.now();
      await revokeKey(
        fixture.fork(),
        fixture.actor(),
        key.id,
        buildKeysCreatedByUserFilter(userId),
      );
      await waitUntil(async () => {
        const refusals = new Set<string | undefined>();
        for (const each of directories) refusals.add((await each.lookup(secret))?.rejection);
        return refusals.size === 1 && refusals.has("revoked");
      });
      expect(performance.now() - revokedAt).toBeLessThan(1000);
    } finally {
      await Promise.all(feeds.map((feed) => feed.close()));
    }
  });

  test("the trigger is silent about last use and tells of everything else", async () => {
    const { connectionString } = fixture.database;
    const feed = new DatabaseChangeFeed({ connectionString, log: silentLog });
    const heard: string[] = [];
    feed.on("caller_keys", ({ id }) => heard.push(id));
    await feed.start();
    try {
      const { key, userId } = await makeKey();
      await waitUntil(() => heard.includes(key.id));
      heard.length = 0;
      await recordKeysLastUsed(fixture.fork(), [key.id], new Date());
      const other = await makeKey();
      await waitUntil(() => heard.includes(other.key.id));
      expect(heard).not.toContain(key.id);
      await updateKey(
        fixture.fork(),
        fixture.actor(),
        key.id,
        buildKeysCreatedByUserFilter(userId),
        {
          tags: { project: "alpha" },
        },
      );
      await waitUntil(() => heard.includes(key.id));
      heard.length = 0;
      await revokeKey(
        fixture.fork(),
        fixture.actor(),
        key.id,
        buildKeysCreatedByUserFilter(userId),
      );
      await waitUntil(() => heard.includes(key.id));
    } finally {
      await feed.close();
    }
  });
});
