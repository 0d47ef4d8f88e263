import { describe, expect, test } from "vitest";
import { createKey } from "../../src/account/create-key.ts";
import { recordKeysLastUsed } from "../../src/account/keys.ts";
import { CallerKeyEntity } from "../../src/account/caller-key.entity.ts";
import {
  revokeSession,
  findSession,
  recordSessionsLastUsed,
  createSession,
} from "../../src/account/sessions.ts";
import { emptyTeamMembershipLookup } from "../../src/account/team-membership.ts";
import { LastUsedRecorder } from "../../src/account/last-used-recorder.ts";
import { waitUntil } from "../support/wait-until.ts";
import { ManualClock, silentLog, useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const { hasher, fork } = fixture;

function logWith(write: (ids: readonly string[], at: Date) => Promise<void>) {
  const clock = new ManualClock();
  return { clock, uses: new LastUsedRecorder({ write, clock, log: silentLog }) };
}

describe("LastUsedRecorder", () => {
  test("writes each id at most once a minute, many at a time and by itself", async () => {
    const writes: string[][] = [];
    const { clock, uses } = logWith((ids) => {
      writes.push([...ids]);
      return Promise.resolve();
    });
    for (const id of ["a", "b", "a"]) uses.record(id);
    expect(writes).toEqual([]);
    await waitUntil(() => writes.length > 0);
    expect(writes).toEqual([["a", "b"]]);
    clock.advance(59_999);
    uses.record("a");
    await uses.flush();
    expect(writes).toHaveLength(1);
    clock.advance(1);
    uses.record("a");
    await uses.flush();
    expect(writes).toEqual([["a", "b"], ["a"]]);
  });

  test("repeats what could not be written", async () => {
    let isAway = true;
    const written: string[] = [];
    const { uses } = logWith((ids) => {
      if (isAway) return Promise.reject(new Error("away"));
      written.push(...ids);
      return Promise.resolve();
    });
    uses.record("a");
    await uses.flush();
    isAway = false;
    uses.record("b");
    await uses.flush();
    expect(written.toSorted()).toEqual(["a", "b"]);
  });
});

describe("what is written", () => {
  test("the last use of a key", async () => {
    const { id: userId } = await fixture.user();
    const ports = { hasher, teams: emptyTeamMembershipLookup };
    const { key } = await createKey(fork(), fixture.actor(), { userId }, {}, ports);
    const at = new Date("2027-01-01T00:00:00.000Z");
    await recordKeysLastUsed(fork(), [key.id, "key_gone"], at);
    const { lastUsedAt } = await fork().findOneOrFail(CallerKeyEntity, { id: key.id });
    expect(lastUsedAt).toEqual(at);
  });

  test("the use of a session puts off its end, but brings no ended one back", async () => {
    const user = await fixture.user();
    const open = () =>
      fork().transactional((em) =>
        Promise.resolve(createSession(em, fixture.actor(), user, hasher)),
      );
    const [used, ended] = [await open(), await open()];
    await revokeSession(fork(), fixture.actor(), user.id, ended.session.id);
    const day = 24 * 60 * 60_000;
    const later = new Date(fixture.clock.now() + 29 * day);
    await recordSessionsLastUsed(fork(), [used.session.id, ended.session.id], later);
    const afterFirstEnd = new Date(fixture.clock.now() + 40 * day);
    const session = await findSession(fork(), hasher, used.token, afterFirstEnd);
    expect(session).toMatchObject({
      lastUsedAt: later,
      expiresAt: new Date(later.getTime() + 30 * day),
    });
    expect(await findSession(fork(), hasher, ended.token, later)).toBeUndefined();
  });
});
