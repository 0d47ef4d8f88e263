import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { accountHolder, HeldBodies } from "../../src/platform/held-bodies.ts";

const mebibyte = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("bodies that are held", () => {
  it("are counted until they are released, which counts once", () => {
    const bodies = new HeldBodies(4);
    const [first, second] = [bodies.open(accountHolder("a")), bodies.open(accountHolder("b"))];
    first.add(100);
    first.add(20);
    second.add(3);
    expect(bodies.all.bytes).toBe(123);
    first.release();
    first.release();
    first.add(1000);
    expect(bodies.all.bytes).toBe(3);
  });

  it("[limits.held-bodies] may be a quarter of one holder, and all of all: a refused one is released", () => {
    const bodies = new HeldBodies(4);
    const open = (holder: string, bytes: number) => {
      const body = bodies.open(accountHolder(holder));
      body.add(bytes);
      return body;
    };
    const own = open("a", mebibyte);
    expect(() => open("a", 1)).toThrow(expect.objectContaining({ code: "rate_limited" }));
    for (const holder of ["b", "c", "d"]) open(holder, mebibyte);
    const late = bodies.open(accountHolder("e"));
    expect(() => late.add(1)).toThrow(
      expect.objectContaining({ code: "unavailable", retryAfterSeconds: 1 }),
    );
    expect(bodies.all.bytes).toBe(4 * mebibyte);
    own.release();
    open("e", mebibyte);
    const growing = bodies.open(accountHolder("a"));
    expect(() => growing.add(mebibyte + 1)).toThrow(
      expect.objectContaining({ code: "request_too_large", status: 413 }),
    );
    expect(bodies.all.bytes).toBe(4 * mebibyte);
  });

  it("are given back as memory in the lull after many, and not otherwise", () => {
    const giveBack = vi.fn<() => void>();
    const bodies = new HeldBodies(512, { giveBack });
    const hold = (bytes: number) => {
      const body = bodies.open(accountHolder("a"));
      body.add(bytes);
      return body;
    };
    hold(63 * mebibyte).release();
    vi.runAllTimers();
    expect(giveBack).not.toHaveBeenCalled();
    hold(100 * mebibyte).release();
    const more = hold(100 * mebibyte);
    vi.runAllTimers();
    expect(giveBack).not.toHaveBeenCalled();
    more.release();
    hold(10).release();
    vi.runAllTimers();
    expect(giveBack).toHaveBeenCalledTimes(1);
  });
});
