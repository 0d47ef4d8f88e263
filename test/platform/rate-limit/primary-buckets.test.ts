import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  handleRateLimitTakes,
  PrimaryProcessRateLimiter,
  type PrimaryProcessRateLimitSender,
} from "../../../src/platform/rate-limit/primary-buckets.ts";
import { RateLimitBuckets } from "../../../src/platform/rate-limit/request-buckets.ts";

const clock = { now: () => Date.now() };
const limit = { requestsPerMinute: 60, burst: 3 };

/** The primary's buckets, and workers that ask for them. */
function machine() {
  const kept = new RateLimitBuckets(clock);
  const state = { isDown: false };
  const changes: unknown[] = [];
  const messages: number[] = [];
  let standIns = 0;
  const ask: PrimaryProcessRateLimitSender = async (takes) => {
    if (state.isDown) throw new Error("out of reach");
    messages.push(takes.length);
    return handleRateLimitTakes(kept, takes);
  };
  return {
    state,
    changes,
    messages,
    standIns: () => standIns,
    worker: () =>
      new PrimaryProcessRateLimiter({
        ask,
        clock,
        onFallback: () => void (standIns += 1),
        onChange: (failure) => changes.push(failure),
      }),
  };
}

async function allowed(takes: readonly unknown[]): Promise<boolean[]> {
  const readings = (await Promise.all(takes)) as { allowed: boolean }[];
  return readings.map((reading) => reading.allowed);
}

describe("PrimaryBuckets", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("counts the takes of all workers in one bucket", async () => {
    const { worker } = machine();
    const [one, other] = [worker(), worker()];
    const takes = [one, other, one, other].map((from) => from.take("key_1", limit));
    expect((await allowed(takes)).filter(Boolean)).toHaveLength(3);
    expect(await one.take("key_2", limit)).toMatchObject({ allowed: true, remaining: 2 });
  });

  it("gives each take its own answer, with the times of the shared bucket", async () => {
    const { worker } = machine();
    const one = worker();
    const readings = await Promise.all([
      one.take("a", limit),
      one.take("b", limit),
      one.take("a", limit),
    ]);
    expect(readings.map(({ remaining }) => remaining)).toEqual([2, 2, 1]);
    expect(readings.map(({ fullInMs }) => fullInMs)).toEqual([1000, 1000, 2000]);
  });

  it("sends what one turn takes as one message", async () => {
    const { worker, messages } = machine();
    const one = worker();
    await Promise.all([one.take("a", limit), one.take("b", limit), one.take("c", limit)]);
    await one.take("a", limit);
    expect(messages).toEqual([3, 1]);
  });

  it("peeks at what it last heard", async () => {
    const { worker } = machine();
    const [one, other] = [worker(), worker()];
    await one.take("a", limit);
    await other.take("a", limit);
    expect(other.peek("a", limit)).toMatchObject({ remaining: 1, fullInMs: 2000 });
    vi.advanceTimersByTime(1000);
    expect(other.peek("a", limit)).toMatchObject({ remaining: 2, fullInMs: 1000 });
  });

  it("decides by itself from where the bucket stood, while nobody answers", async () => {
    const { worker, state, changes, standIns } = machine();
    const one = worker();
    await one.take("a", limit);
    await one.take("a", limit);
    state.isDown = true;
    const takes = [one.take("a", limit), one.take("a", limit)];
    expect(await allowed(takes)).toEqual([true, false]);
    // From now on nobody waits for an answer.
    expect(one.take("a", limit)).toMatchObject({ allowed: false });
    expect(standIns()).toBe(3);
    expect(changes).toEqual([expect.objectContaining({ message: "out of reach" })]);
  });

  it("asks again when there are answers again", async () => {
    const { worker, state, changes } = machine();
    const one = worker();
    state.isDown = true;
    await one.take("a", limit);
    await vi.advanceTimersByTimeAsync(1500);
    expect(changes).toHaveLength(1);
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(changes).toEqual([expect.any(Error), undefined]);
    expect(await one.take("a", limit)).toMatchObject({ allowed: true, remaining: 2 });
  });
});
