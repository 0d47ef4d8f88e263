import { describe, expect, it } from "vitest";
import { EventLoopTurnstile } from "../../src/platform/event-loop-turnstile.ts";
import { runInTurns } from "../../src/platform/run-in-turns.ts";
import { countEventLoopTurns } from "../support/event-loop-turns.ts";

function* stepsOf(count: number, onStep: () => void = () => undefined) {
  for (let at = 0; at < count; at += 1) {
    onStep();
    yield;
  }
  return count;
}

describe("runInTurns", () => {
  it("lets other work run when a turn has used its time", async () => {
    const run = () => runInTurns(stepsOf(20), new EventLoopTurnstile(), 0);
    const { result, turns } = await countEventLoopTurns(run);
    expect(result).toBe(20);
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it("runs steps in one turn while there is time", async () => {
    const run = () => runInTurns(stepsOf(20), new EventLoopTurnstile(), 60_000);
    expect((await countEventLoopTurns(run)).turns).toBeLessThan(5);
  });

  it("never runs two pieces of work in one turn", async () => {
    const turnstile = new EventLoopTurnstile();
    const order: string[] = [];
    let turn = 0;
    const count = () => {
      turn += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const names = ["a", "b", "c"];
    const work = names.map((name) =>
      runInTurns(
        stepsOf(5, () => order.push(`${name} ${turn}`)),
        turnstile,
        0,
      ),
    );
    await Promise.all(work);
    clearImmediate(next);
    const turns = order.map((each) => each.slice(2));
    expect(order).toHaveLength(15);
    expect(new Set(turns).size).toBe(15);
    expect(order.slice(0, 3).map((each) => each.slice(0, 1))).toEqual(names);
  });

  it("rejects with the error of a step", async () => {
    const steps = stepsOf(2, () => {
      throw new Error("broken");
    });
    await expect(runInTurns(steps, new EventLoopTurnstile())).rejects.toThrow("broken");
  });
});
