import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inTime } from "../../../../src/platform/rate-limit/redis/in-time.ts";

describe("inTime()", () => {
  it("gives what comes of the promise", async () => {
    expect(await inTime(Promise.resolve(1), 1000)).toBe(1);
    await expect(inTime(Promise.reject(new Error("no")), 1000)).rejects.toThrow("no");
  });

  it("rejects when nothing comes", async () => {
    await expect(inTime(delay(60_000, 1, { ref: false }), 10)).rejects.toThrow(
      "no answer within 10 ms",
    );
  });

  it("takes an answer that was there in time and could not be read behind other work", async () => {
    const answer = await new Promise<{ promise: Promise<Stats> }>((resolve) => {
      // In a timer, because those that are due come before what is read.
      setTimeout(() => {
        resolve({ promise: inTime(stat("."), 20) });
        const busyUntil = performance.now() + 60;
        while (performance.now() < busyUntil);
      });
    });
    expect((await answer.promise).isDirectory()).toBe(true);
  });
});
