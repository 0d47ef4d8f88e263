import { performance } from "node:perf_hooks";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  eventLoopCheckIntervalMs,
  watchEventLoopDelay,
} from "../../../src/platform/load/loop-delay.ts";

function standStill(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe("a look at the event loop", () => {
  it("tells how long it stood still", async () => {
    const heard = new Promise<number>((resolve) => {
      onTestFinished(watchEventLoopDelay(resolve));
    });
    standStill(eventLoopCheckIntervalMs + 300);
    expect(await heard).toBeGreaterThanOrEqual(299);
  });

  it("is taken again and again until it is ended", async () => {
    const looks: number[] = [];
    await new Promise<void>((resolve) => {
      const end = watchEventLoopDelay((delayMs) => {
        looks.push(delayMs);
        if (looks.length < 3) return;
        end();
        resolve();
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 2 * eventLoopCheckIntervalMs));
    expect(looks).toHaveLength(3);
    expect(Math.min(...looks)).toBeGreaterThanOrEqual(0);
  });
});
