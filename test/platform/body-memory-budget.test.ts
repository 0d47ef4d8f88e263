import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApiError } from "../../src/platform/errors.ts";
import {
  createAccountBodyMemoryOwner,
  resolveRequestBodyMemoryOwner,
  type RequestBodyMemoryOwner,
} from "../../src/platform/body-holder.ts";
import {
  RequestBodyMemoryBudget,
  type HeldRequestBody,
} from "../../src/platform/body-memory-budget.ts";
import type { Principal } from "../../src/platform/principal.ts";

const mebibyte = 1024 * 1024;
const kibibyte = 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Arriving {
  readonly held: HeldRequestBody;
  /** Undefined: it was not ended. */
  readonly reason: () => ApiError | undefined;
}

/** A body of a holder of which so many bytes arrived. */
function arrive(
  bodies: RequestBodyMemoryBudget,
  holder: RequestBodyMemoryOwner,
  bytes: number,
  declared?: number,
): Arriving {
  let reason: ApiError | undefined;
  const held = bodies.allocate(holder);
  held.begin({ declared, onEnd: (told) => void (reason = told) });
  held.add(bytes);
  return { held, reason: () => reason };
}

const [a, b, c, d, e] = ["user_a", "user_b", "user_c", "user_d", "user_e"].map(
  createAccountBodyMemoryOwner,
) as [
  RequestBodyMemoryOwner,
  RequestBodyMemoryOwner,
  RequestBodyMemoryOwner,
  RequestBodyMemoryOwner,
  RequestBodyMemoryOwner,
];

const code = (value: string) => expect.objectContaining({ code: value });

describe("RequestBodyMemoryBudget", () => {
  it("counts a body until it is released, which counts once", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    const [first, second] = [bodies.allocate(a), bodies.allocate(b)];
    first.add(100);
    first.add(20);
    second.add(3);
    expect(bodies.all.bytes).toBe(123);
    first.release();
    first.release();
    first.add(1000);
    expect(bodies.all.bytes).toBe(3);
  });

  it("counts what has arrived and not what is declared", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    for (let count = 0; count < 512; count++) arrive(bodies, a, 1, mebibyte - 600);
    expect(bodies.all.bytes).toBe(512);
  });

  it("refuses a body larger than the share of one holder with 413", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    expect(() => arrive(bodies, a, 0, mebibyte + 1)).toThrow(code("request_too_large"));
    const growing = arrive(bodies, a, mebibyte);
    expect(() => growing.held.add(1)).toThrow(code("request_too_large"));
    expect(bodies.all.bytes).toBe(0);
  });

  it("refuses bodies over the share of one holder with 429, before they arrive if declared", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    arrive(bodies, a, 0.75 * mebibyte);
    expect(() => arrive(bodies, a, 0, 0.5 * mebibyte)).toThrow(code("rate_limited"));
    expect(() => arrive(bodies, a, 0.5 * mebibyte)).toThrow(
      expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 1 }),
    );
    expect(bodies.all.bytes).toBe(0.75 * mebibyte);
    arrive(bodies, b, 0.5 * mebibyte);
  });

  it("takes all keys and sessions of an account for one holder, and the operator for another", () => {
    const key = (keyId: string): Principal => ({
      kind: "key",
      keyId,
      accountId: "user_a",
      userId: "user_a",
      teamId: undefined,
      scopes: new Set(),
    });
    const session: Principal = {
      kind: "session",
      sessionId: "session_1",
      accountId: "user_a",
      userId: "user_a",
    };
    for (const principal of [key("key_1"), key("key_2"), session]) {
      expect(resolveRequestBodyMemoryOwner(principal, "192.0.2.1")).toEqual(a);
    }
    expect(resolveRequestBodyMemoryOwner({ kind: "operator" }, "192.0.2.1")).toEqual({
      id: "operator",
      hasCredential: true,
    });
  });

  it("takes the addresses of an IPv6 network of 64 bits for one holder", () => {
    const ids = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1", "192.0.2.1"].map(
      (address) => resolveRequestBodyMemoryOwner(undefined, address).id,
    );
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });

  it("holds a quarter of callers without a credential, of whom the largest gives way", () => {
    const bodies = new RequestBodyMemoryBudget(16);
    const network = (index: number) => resolveRequestBodyMemoryOwner(undefined, `192.0.2.${index}`);
    const large = [1, 2, 3, 4, 5, 6, 7].map(() => arrive(bodies, network(1), 0.5 * mebibyte));
    const other = arrive(bodies, network(2), 0.5 * mebibyte);
    const third = arrive(bodies, network(3), 0.5 * mebibyte);
    expect(large.filter(({ reason }) => reason()?.status === 429)).toHaveLength(1);
    expect([other.reason(), third.reason()]).toEqual([undefined, undefined]);
    expect(bodies.all.bytes).toBe(4 * mebibyte);
    arrive(bodies, a, 4 * mebibyte);
  });

  it("[limits.held-bodies-fair] ends the slowest body of the holder with the most bytes when the whole is full", () => {
    let now = 0;
    const bodies = new RequestBodyMemoryBudget(4, { now: () => now });
    const slow = arrive(bodies, a, 0.5 * mebibyte);
    now = 1000;
    const fast = arrive(bodies, a, 0.5 * mebibyte);
    const others = [b, c].map((holder) => arrive(bodies, holder, 0.9375 * mebibyte));
    others.push(arrive(bodies, d, mebibyte - 1));
    const small = arrive(bodies, e, 0.25 * mebibyte);
    expect(slow.reason()).toMatchObject({ status: 429, retryAfterSeconds: 1 });
    for (const body of [fast, small, ...others]) expect(body.reason()).toBeUndefined();
    expect(() => slow.held.add(1)).toThrow(slow.reason());
  });

  it("ends a body that is served only after those that arrive, the largest first", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    const reasons: string[] = [];
    const serve = (holder: RequestBodyMemoryOwner, name: string, bytes: number) => {
      const { held } = arrive(bodies, holder, bytes);
      held.finish(() => reasons.push(name));
    };
    serve(a, "small", 0.25 * mebibyte);
    serve(a, "large", 0.5 * mebibyte);
    const arriving = arrive(bodies, a, 0.25 * mebibyte);
    for (const holder of [b, c, d]) serve(holder, "other", mebibyte - 1);
    arrive(bodies, e, 0.125 * mebibyte);
    expect([arriving.reason()?.status, reasons]).toEqual([429, []]);
    arrive(bodies, e, 0.25 * mebibyte);
    const [first] = reasons;
    expect(["large", "other"]).toContain(first);
    expect(reasons).toHaveLength(1);
  });

  it("[limits.held-bodies] refuses with 503 when it is full and no holder has more than the new one would", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    const five = [1, 2, 3, 4, 5].map((index) =>
      arrive(bodies, createAccountBodyMemoryOwner(`user_${index}`), 0.75 * mebibyte),
    );
    const sixth = bodies.allocate(e);
    sixth.begin({ declared: 0.75 * mebibyte, onEnd: () => {} });
    sixth.add(0.25 * mebibyte);
    expect(() => sixth.add(0.25 * mebibyte)).toThrow(
      expect.objectContaining({ code: "unavailable", retryAfterSeconds: 1 }),
    );
    expect(five.map(({ reason }) => reason())).toEqual(five.map(() => undefined));
    expect(bodies.all.bytes).toBe(3.75 * mebibyte);
  });

  it("ends the slowest body of the holder that asks for more than all others have", () => {
    let now = 0;
    const bodies = new RequestBodyMemoryBudget(4, { now: () => now });
    for (let index = 0; index < 64; index++) {
      arrive(bodies, createAccountBodyMemoryOwner(`user_${index}`), 49 * kibibyte);
    }
    const old = arrive(bodies, a, 0.5 * mebibyte);
    now = 1000;
    const fresh = arrive(bodies, a, 0.4375 * mebibyte - 1);
    fresh.held.add(49 * kibibyte);
    expect(old.reason()?.status).toBe(429);
    expect(fresh.reason()).toBeUndefined();
  });

  it("gives memory back in the lull after many bytes, and not otherwise", () => {
    const giveBack = vi.fn<() => void>();
    const bodies = new RequestBodyMemoryBudget(512, { giveBack });
    const hold = (bytes: number) => {
      const body = bodies.allocate(a);
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

describe("RequestBodyMemoryBudget, of a body that arrives slowly,", () => {
  /** Lets so many seconds pass, and so many bytes of each second arrive. */
  function send(held: HeldRequestBody, seconds: number, bytesPerSecond: number): void {
    for (let second = 0; second < seconds && !held.wasEnded; second++) {
      held.add(bytesPerSecond);
      vi.advanceTimersByTime(1000);
    }
  }

  it("[limits.held-bodies-slow] ends it with 408 when less than 8 KiB/s arrived over 10 s", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    const { held, reason } = arrive(bodies, a, 1, 1000);
    vi.advanceTimersByTime(9999);
    expect(reason()).toBeUndefined();
    vi.advanceTimersByTime(1002);
    expect(reason()).toMatchObject({ status: 408, code: "invalid_request" });
    expect([held.wasEnded, bodies.all.bytes]).toEqual([true, 0]);
  });

  it("judges every 10 s anew", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    const { held, reason } = arrive(bodies, a, 512 * kibibyte);
    send(held, 11, 100);
    expect(reason()).toBeUndefined();
    send(held, 11, 8 * kibibyte - 100);
    expect(reason()?.status).toBe(408);
  });

  it("leaves it alone at 8 KiB/s, and at 1 MiB/s for as long as it takes", () => {
    const bodies = new RequestBodyMemoryBudget(512);
    const slow = arrive(bodies, a, 0);
    send(slow.held, 60, 8 * kibibyte);
    slow.held.finish();
    const fast = arrive(bodies, b, 0);
    send(fast.held, 32, mebibyte);
    expect([slow.reason(), fast.reason()]).toEqual([undefined, undefined]);
  });

  it("leaves it alone when it is whole, and a stream of messages that pauses", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    const whole = arrive(bodies, a, 1);
    whole.held.finish();
    let reason: ApiError | undefined;
    const stream = bodies.allocate(b);
    stream.begin({ declared: undefined, onEnd: (told) => (reason = told), isPaced: false });
    stream.add(1);
    vi.advanceTimersByTime(60_000);
    expect([whole.reason(), reason]).toEqual([undefined, undefined]);
  });

  it("looks at nothing while nothing arrives", () => {
    const bodies = new RequestBodyMemoryBudget(4);
    const { held } = arrive(bodies, a, 1);
    expect(vi.getTimerCount()).toBe(1);
    held.release();
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
