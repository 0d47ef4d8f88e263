import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  DataSourceRequestNotSentError,
  DataSourceRequestThrottle,
} from "../../../src/depshealth/fetch/source-throttle.ts";
import { getDataSourceThrottleLimits } from "../../../src/depshealth/fetch/source-limits.ts";
import { systemClock } from "../../../src/platform/clock.ts";

const wide = { concurrency: 100, perSecond: 1000, burst: 1000, pauseMs: 10 };

describe("DataSourceRequestThrottle", () => {
  it("lets so many through at a time, in their order", async () => {
    const gate = new DataSourceRequestThrottle({ ...wide, concurrency: 3 }, systemClock);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const tasks = Array.from({ length: 10 }, (_, index) =>
      gate.run(async () => {
        running += 1;
        most = Math.max(most, running);
        order.push(index);
        await delay(5);
        running -= 1;
      }),
    );
    await Promise.all(tasks);
    expect(most).toBe(3);
    expect(order).toEqual(order.toSorted((left, right) => left - right));
  });

  it("lets a burst through at once and the rest at its pace", async () => {
    const gate = new DataSourceRequestThrottle({ ...wide, perSecond: 20, burst: 5 }, systemClock);
    const began = performance.now();
    const times = await Promise.all(
      Array.from({ length: 9 }, () => gate.run(async () => performance.now() - began)),
    );
    expect(times[4]).toBeLessThan(45);
    expect(times[8]).toBeGreaterThanOrEqual(190);
  });

  it("refuses at once what would wait too long", async () => {
    const gate = new DataSourceRequestThrottle({ ...wide, perSecond: 0.1, burst: 1 }, systemClock);
    await gate.run(async () => {});
    await expect(gate.run(async () => {})).rejects.toThrow(DataSourceRequestNotSentError);
  });

  it("gives its place free when a task fails", async () => {
    const gate = new DataSourceRequestThrottle({ ...wide, concurrency: 1 }, systemClock);
    await expect(gate.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await gate.run(async () => "next")).toBe("next");
  });

  it("doubles its own pauses until the source answers", async () => {
    let now = 0;
    const gate = new DataSourceRequestThrottle({ ...wide, pauseMs: 6000 }, { now: () => now });
    const isRefused = () => gate.run(async () => false).catch(() => true);
    gate.pause(undefined);
    expect(await isRefused()).toBe(true);
    now += 6000;
    expect(await isRefused()).toBe(false);
    gate.pause(undefined);
    now += 6500;
    expect(await isRefused()).toBe(true);
    now += 5500;
    gate.succeeded();
    gate.pause(undefined);
    now += 6000;
    expect(await isRefused()).toBe(false);
  });
});

describe("limits", () => {
  it("are those of the public services, and the operator's own addresses have none of them", () => {
    expect(getDataSourceThrottleLimits("cargo-api", false).perSecond).toBe(1);
    expect(getDataSourceThrottleLimits("maven", false)).toMatchObject({ pauseMs: 30 * 60_000 });
    expect(getDataSourceThrottleLimits("maven", false).perSecond).toBeLessThan(4);
    expect(getDataSourceThrottleLimits("cargo-api", true).perSecond).toBeGreaterThan(100);
  });
});
