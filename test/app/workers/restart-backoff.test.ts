import { describe, expect, it } from "vitest";
import { WorkerRestartBackoff } from "../../../src/app/workers/restart-backoff.ts";

describe("WorkerRestartBackoff", () => {
  it("grows with each worker that was never ready, to ten seconds", () => {
    const pause = new WorkerRestartBackoff();
    const pauses = Array.from({ length: 9 }, () => pause.after(false));
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it("is none after one that was ready, however often, and begins anew", () => {
    const pause = new WorkerRestartBackoff();
    pause.after(false);
    pause.after(false);
    expect([pause.after(true), pause.after(true)]).toEqual([0, 0]);
    expect(pause.after(false)).toBe(100);
  });
});
