import { describe, expect, it } from "vitest";
import { sortTargetsByStrategy } from "../../../src/gateway/routing/order-targets.ts";
import { hashSessionToUnitInterval } from "../../../src/gateway/routing/session-hash.ts";
import { SeededRandom } from "../../support/seeded-random.ts";

const target = (name: string, weight = 1, firstByteMs?: number) => ({ name, weight, firstByteMs });

const calls = 10_000;

/** Hundredths of the calls that each target has first. */
function shares(
  strategy: "weighted" | "fastest",
  targets: readonly ReturnType<typeof target>[],
): Record<string, number> {
  const random = new SeededRandom(7);
  const count = Object.fromEntries(targets.map(({ name }) => [name, 0]));
  for (let made = 0; made < calls; made++) {
    const [first] = sortTargetsByStrategy(strategy, targets, () => random.next());
    count[first?.name ?? ""] = (count[first?.name ?? ""] ?? 0) + 100 / calls;
  }
  return count;
}

const within = (points: number, share: number) =>
  expect.toSatisfy((value: number) => Math.abs(value - share) <= points);

describe("orderTargets()", () => {
  it("keeps the order", () => {
    const targets = [target("one"), target("two", 100)];
    expect(sortTargetsByStrategy("order", targets, Math.random)).toBe(targets);
  });

  it.each([[[1, 1]], [[70, 30]], [[1, 100]], [[5, 3, 2]]])(
    "[pool.weighted] holds the weights %j within three points over 10,000 calls",
    (weights) => {
      const sum = weights.reduce((all, weight) => all + weight, 0);
      const measured = shares(
        "weighted",
        weights.map((weight, at) => target(`${at}`, weight)),
      );
      for (const [at, weight] of weights.entries()) {
        expect(measured[`${at}`]).toEqual(within(3, (100 * weight) / sum));
      }
    },
  );

  it("gives every target a place, whatever the weights", () => {
    const random = new SeededRandom(1);
    const targets = [target("one", 100), target("two", 1), target("three", 30)];
    for (let made = 0; made < 100; made++) {
      const names = sortTargetsByStrategy("weighted", targets, () => random.next()).map(
        ({ name }) => name,
      );
      expect(names.toSorted()).toEqual(["one", "three", "two"]);
    }
  });

  it("[pool.fastest] prefers the fastest, and tries another with one call in twenty", () => {
    const measured = shares("fastest", [
      target("slow", 1, 300),
      target("fast", 1, 100),
      target("new"),
    ]);
    expect(measured["fast"]).toEqual(within(1, 95));
    expect(measured["slow"]).toEqual(within(1, 2.5));
    expect(measured["new"]).toEqual(within(1, 2.5));
  });

  it("goes on to the fastest that is left", () => {
    const targets = [target("new"), target("slow", 1, 300), target("fast", 1, 100)];
    const names = sortTargetsByStrategy("fastest", targets, () => 0.5).map(({ name }) => name);
    expect(names).toEqual(["fast", "slow", "new"]);
  });
});

describe("hashSession()", () => {
  const key = Buffer.alloc(32, 1);
  const targets = [target("one"), target("two"), target("three")];
  const first = (session: string, of = targets, account = "user_1") =>
    sortTargetsByStrategy("weighted", of, (one) =>
      hashSessionToUnitInterval(key, account, session, one?.name ?? ""),
    )[0]?.name;
  const sessions = Array.from({ length: 1000 }, (_, number) => `session-${number}`);

  it("sends a session to the same target each time", () => {
    expect(sessions.map((session) => first(session))).toEqual(
      sessions.map((session) => first(session)),
    );
  });

  it("spreads sessions by weight", () => {
    const ones = sessions.filter((session) => first(session) === "one").length;
    expect(ones / 10).toEqual(within(5, 33));
  });

  it("moves only the sessions of the target that is left out", () => {
    const others = targets.slice(1);
    const kept = sessions.filter((session) => first(session) !== "one");
    expect(kept.map((session) => first(session, others))).toEqual(
      kept.map((session) => first(session)),
    );
  });

  it("tells nothing of the sessions of another account", () => {
    const same = sessions.filter((session) => first(session) === first(session, targets, "user_2"));
    expect(same.length / 10).toEqual(within(6, 33));
  });
});
