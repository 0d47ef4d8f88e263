import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LargeTextWorkLimiter } from "../../src/turn/large-work.ts";

/** Works of so many characters that begin at once; which of them run, until each is ended. */
function begin(characters: readonly number[]) {
  const large = new LargeTextWorkLimiter();
  const running = new Set<number>();
  const ends = characters.map(() => Promise.withResolvers<void>());
  for (const [at, size] of characters.entries()) {
    void large.run(size, async () => {
      running.add(at);
      await ends[at]?.promise;
      running.delete(at);
    });
  }
  return { running, end: (at: number) => ends[at]?.resolve() };
}

describe("LargeWork", () => {
  it("does large work one after the other, and small work at once", async () => {
    const mebi = 1024 * 1024;
    const { running, end } = begin([mebi, 2 * mebi, mebi, 100, 100]);
    await nextTurn();
    expect(running).toEqual(new Set([0, 3, 4]));
    end(0);
    await nextTurn();
    expect(running).toEqual(new Set([1, 3, 4]));
    end(1);
    await nextTurn();
    expect(running.has(2)).toBe(true);
  });
});
