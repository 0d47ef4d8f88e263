import { describe, expect, it } from "vitest";
import { ChangeFeedValueCache } from "../../../src/platform/database/change-feed-cache.ts";
import { FakeFeed } from "../../support/fake-feed.ts";

const minute = 60_000;
const unavailable = expect.objectContaining({ code: "unavailable", retryAfterSeconds: 1 });

describe("ChangeFeedCache", () => {
  it("reads a key once, shares the read, and answers at once when warm", async () => {
    const { cache, get, reads } = setUp();
    expect(cache.peek("a")).toBeUndefined();
    expect(await Promise.all([get("a"), get("a")])).toEqual(["a1", "a1"]);
    expect(get("a")).toBe("a1");
    expect(cache.peek("a")).toBe("a1");
    expect(await get("b")).toBe("b2");
    expect(reads).toEqual(["a", "b"]);
  });

  it("does not keep that there is nothing, and forgets what has gone", async () => {
    const { get, feed, database, reads } = setUp();
    database.empty = true;
    expect(await get("a")).toBeUndefined();
    expect(await get("a")).toBeUndefined();
    expect(reads).toHaveLength(2);
    database.empty = false;
    expect(await get("a")).toBe("a3");
    feed.reset();
    database.empty = true;
    expect(await get("a")).toBeUndefined();
    feed.become("down");
    database.away = true;
    await expect(get("a")).rejects.toThrow(unavailable);
  });

  it("drops a key, or the values that match, and nothing else", async () => {
    const { cache, get } = setUp();
    for (const key of ["a", "b", "c"]) await get(key);
    cache.drop("a");
    cache.dropWhere((value) => value.startsWith("b"));
    expect(await get("a")).toBe("a4");
    expect(await get("b")).toBe("b5");
    expect(get("c")).toBe("c3");
  });

  it.each([
    ["a dropped key", ({ cache }: SetUp) => cache.drop("a")],
    ["values dropped by a match", ({ cache }: SetUp) => cache.dropWhere(() => false)],
    ["a reset", ({ feed }: SetUp) => feed.reset()],
  ])("neither keeps nor shares a read overtaken by %s", async (_, overtake) => {
    const setting = setUp();
    const { get, hold } = setting;
    const releaseOld = hold();
    const old = get("a");
    overtake(setting);
    const releaseFresh = hold();
    const fresh = get("a");
    releaseFresh();
    expect(await fresh).toBe("a2");
    releaseOld();
    expect(await old).toBe("a1");
    expect(get("a")).toBe("a2");
  });

  it("keeps a read of one key while another is dropped", async () => {
    const { cache, get, hold } = setUp();
    const release = hold();
    const reading = get("a");
    cache.drop("b");
    release();
    await reading;
    expect(get("a")).toBe("a1");
  });

  it("reads again, once, after a reset of the feed", async () => {
    const { get, feed } = setUp();
    await get("a");
    feed.reset();
    expect(await get("a")).toBe("a2");
    expect(get("a")).toBe("a2");
  });

  it("reads at every call while the feed is not trusted", async () => {
    const { get, feed } = setUp();
    await get("a");
    feed.become("silent");
    expect([await get("a"), await get("a")]).toEqual(["a2", "a3"]);
    feed.become("live");
    expect(await get("a")).toBe("a4");
    expect(get("a")).toBe("a4");
  });

  it("keeps no more than it may; what was read longest ago goes", async () => {
    const { get, reads } = setUp(2);
    for (const key of ["a", "b", "c"]) await get(key);
    expect(get("c")).toBe("c3");
    await get("a");
    expect(reads).toEqual(["a", "b", "c", "a"]);
  });
});

describe("ChangeFeedCache without a database", () => {
  it("serves what it has for fifteen minutes, from when the feed went away", async () => {
    const { get, feed, database, clock, reads } = setUp();
    await get("a");
    // Confirmed all the time by the feed, though nobody called.
    clock.time += 60 * minute;
    feed.become("down");
    database.away = true;
    clock.time += 15 * minute;
    expect(await get("a")).toBe("a1");
    expect(reads, "nobody asks a database that is known to be away").toHaveLength(1);
    clock.time += 1;
    await expect(get("a")).rejects.toThrow(unavailable);
    await expect(get("b")).rejects.toThrow(unavailable);
  });

  it("asks once a second at most while the feed has not said so", async () => {
    const { get, feed, database, clock, reads } = setUp();
    await get("a");
    feed.trusted = false;
    database.away = true;
    expect([await get("a"), await get("a")]).toEqual(["a1", "a1"]);
    expect(reads).toHaveLength(2);
    clock.time += 1000;
    expect(await get("a")).toBe("a1");
    expect(reads).toHaveLength(3);
  });

  it("asks at once again when the feed is trusted again", async () => {
    const { get, feed, database } = setUp();
    await get("a");
    feed.become("silent");
    database.away = true;
    expect(await get("a")).toBe("a1");
    database.away = false;
    feed.become("live");
    expect(await get("a")).toBe("a3");
  });

  it("does not hide other failures behind what it has", async () => {
    const { get, feed, database } = setUp();
    await get("a");
    feed.reset();
    database.broken = true;
    await expect(get("a")).rejects.toThrow("syntax error");
  });
});

type SetUp = ReturnType<typeof setUp>;

/** A cache over a database that counts its reads: the value of `a` read second is `a2`. */
function setUp(capacity?: number) {
  const feed = new FakeFeed();
  const clock = { time: 1_000_000_000, now: () => clock.time };
  const database = { away: false, broken: false, empty: false };
  const reads: string[] = [];
  let gate = Promise.resolve();
  const load = async (key: string): Promise<string | undefined> => {
    reads.push(key);
    const value = `${key}${reads.length}`;
    if (database.away) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    if (database.broken) throw new Error("syntax error");
    await gate;
    return database.empty ? undefined : value;
  };
  /** Reads that begin from now on wait for what is returned to be called. */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  const options = { feed, clock, ...(capacity !== undefined && { capacity }) };
  const cache = new ChangeFeedValueCache<string | undefined>(options);
  return { cache, get: (key: string) => cache.get(key, load), feed, clock, database, reads, hold };
}
