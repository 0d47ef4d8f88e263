import { describe, expect, it } from "vitest";
import { RestartPause } from "../../../src/app/workers/restart-pause.ts";

describe("RestartPause", () => {
  it("grows with each worker that lived only briefly, to ten seconds", () => {
    const pause = new RestartPause();
    const pauses = Array.from({ length: 9 }, () => pause.after(500));
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it("begins anew after one that lived for a minute", () => {
    const pause = new RestartPause();
    pause.after(10);
    pause.after(10);
    expect(pause.after(60_000)).toBe(100);
    expect(pause.after(10)).toBe(200);
  });
});
