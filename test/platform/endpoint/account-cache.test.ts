import { describe, expect, it } from "vitest";
import { AccountCache } from "../../../src/platform/endpoint/account-cache.ts";
import { FakeFeed } from "../../support/fake-feed.ts";

const minute = 60_000;

describe("AccountCache", () => {
  it("reads an account once, shares the read, and answers at once when warm", async () => {
    const { cache, reads } = setUp();
    expect(await Promise.all([cache.get("a"), cache.get("a")])).toEqual(["a1", "a1"]);
    expect(cache.get("a")).toBe("a1");
    expect(await cache.get("b")).toBe("b2");
    expect(reads).toEqual(["a", "b"]);
  });

  it("reads again after a change of the account in its table, and only then", async () => {
    const { cache, feed } = setUp();
    await cache.get("a");
    feed.announce({ table: "things", id: "1", accountId: "b" });
    feed.announce({ table: "other", id: "1", accountId: "a" });
    expect(cache.get("a")).toBe("a1");
    feed.announce({ table: "things", id: "1", accountId: "a" });
    expect(await cache.get("a")).toBe("a2");
  });

  it("does not keep, or share, a read that a change overtook", async () => {
    const { cache, feed, hold } = setUp();
    const release = hold();
    const old = cache.get("a");
    feed.announce({ table: "things", id: "1", accountId: "a" });
    const fresh = cache.get("a");
    release();
    expect(await Promise.all([old, fresh])).toEqual(["a1", "a2"]);
    expect(await cache.get("a")).toBe("a2");
  });

  it("reads again after a reset of the feed", async () => {
    const { cache, feed } = setUp();
    await cache.get("a");
    feed.reset();
    expect(await cache.get("a")).toBe("a2");
    expect(cache.get("a")).toBe("a2");
  });

  it("reads at every call while the feed is not trusted", async () => {
    const { cache, feed } = setUp();
    await cache.get("a");
    feed.trusted = false;
    expect([await cache.get("a"), await cache.get("a")]).toEqual(["a2", "a3"]);
    feed.trusted = true;
    expect(await cache.get("a")).toBe("a4");
    expect(cache.get("a")).toBe("a4");
  });

  it("serves what it has for fifteen minutes while the database is away", async () => {
    const { cache, feed, database, clock, reads } = setUp();
    await cache.get("a");
    clock.time += 60 * minute;
    expect(cache.get("a")).toBe("a1");
    feed.trusted = false;
    database.away = true;
    expect(await cache.get("a")).toBe("a1");
    expect(await cache.get("a")).toBe("a1");
    expect(reads, "asked once a second at most").toHaveLength(2);
    clock.time += 15 * minute;
    expect(await cache.get("a")).toBe("a1");
    clock.time += 1;
    await expect(cache.get("a")).rejects.toThrow("ECONNREFUSED");
    await expect(cache.get("b")).rejects.toThrow("ECONNREFUSED");
    database.away = false;
    expect(await cache.get("a")).toMatch(/^a/);
  });

  it("does not hide other failures behind what it has", async () => {
    const { cache, feed, database } = setUp();
    await cache.get("a");
    feed.reset();
    database.broken = true;
    await expect(cache.get("a")).rejects.toThrow("syntax error");
  });

  it("keeps no more accounts than it may", async () => {
    const { cache, reads } = setUp(2);
    for (const account of ["a", "b", "c"]) await cache.get(account);
    expect(cache.get("c")).toBe("c3");
    await cache.get("a");
    expect(reads).toEqual(["a", "b", "c", "a"]);
  });
});

function setUp(capacity?: number) {
  const feed = new FakeFeed();
  const clock = { time: 1_000_000_000, now: () => clock.time };
  const database = { away: false, broken: false };
  const reads: string[] = [];
  let gate = Promise.resolve();
  const load = async (accountId: string): Promise<string> => {
    reads.push(accountId);
    const value = `${accountId}${reads.length}`;
    if (database.away) throw Object.assign(new Error("ECONNREFUSED"), { code: "ECONNREFUSED" });
    if (database.broken) throw new Error("syntax error");
    await gate;
    return value;
  };
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  const options = { table: "things", load, feed, clock };
  const cache = new AccountCache(capacity === undefined ? options : { ...options, capacity });
  return { cache, feed, clock, database, reads, hold };
}
