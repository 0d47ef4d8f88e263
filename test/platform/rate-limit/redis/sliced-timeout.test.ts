import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { withRedisReplyTimeout } from "../../../../src/platform/rate-limit/redis/sliced-timeout.ts";

describe("inTime()", () => {
  it("gives what comes of the promise", async () => {
    expect(await withRedisReplyTimeout(Promise.resolve(1), 1000)).toBe(1);
    await expect(withRedisReplyTimeout(Promise.reject(new Error("no")), 1000)).rejects.toThrow(
      "no",
    );
  });

  it("rejects when nothing comes", async () => {
    await expect(withRedisReplyTimeout(delay(60_000, 1, { ref: false }), 10)).rejects.toThrow(
      "no answer within 10 ms",
    );
  });

  it("waits once more where the process could neither ask nor hear, behind other work", async () => {
    // Opened, measured, read and closed: several turns of the event loop.
    const answer = withRedisReplyTimeout(readFile(import.meta.filename, "utf8"), 20);
    const busyUntil = performance.now() + 100;
    while (performance.now() < busyUntil);
    expect(await answer).toContain("several turns");
  });
});
