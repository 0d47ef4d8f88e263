import { describe, expect, it } from "vitest";
import { invalidRequestError } from "../../../src/platform/errors.ts";
import { documentKinds, type DocumentKind } from "./document-kinds.ts";
import { combinationsOf, findGrowth, type Outcome } from "./find-growth.ts";
import { readGrowthOptions } from "./growth-options.ts";
import { planCombinations } from "./plan.ts";

/** A kind of which each member is compared with each item. */
const planted: DocumentKind = {
  name: "planted",
  dimensions: ["members", "items"],
  paths: ["nowhere"],
  prepare(dimensions, size) {
    const [members = 1, items = 1] = planted.dimensions.map((name) =>
      dimensions.includes(name) ? size : 1,
    );
    return () => {
      let sum = 0;
      for (let member = 0; member < members; member++) {
        for (let item = 0; item < items; item++) sum += Math.sqrt(member * item);
      }
      return sum;
    };
  },
};

function plantedFailure(error: Error): Outcome {
  const prepare = () => () => {
    throw error;
  };
  const combination = { kind: "planted", dimensions: ["members"], path: "nowhere" };
  return findGrowth({ ...planted, prepare }, combination, 1);
}

describe("findGrowth", () => {
  it("finds work that multiplies two dimensions, and neither alone", () => {
    const found = combinationsOf(planted).map((combination) => ({
      dimensions: combination.dimensions,
      outcome: findGrowth(planted, combination, 4000),
    }));
    const slow = found.filter(({ outcome }) => typeof outcome === "object");
    expect(slow.map(({ dimensions }) => dimensions)).toEqual([["members", "items"]]);
  });

  it("finds an error that the catalog does not have", () => {
    expect(plantedFailure(new TypeError("broken"))).toMatchObject({ kind: "planted" });
  });

  it("takes an error of the catalog for a refusal", () => {
    expect(plantedFailure(invalidRequestError("a", "No."))).toBe("refused");
  });
});

describe("a document of one dimension", () => {
  it.each(documentKinds)("is taken by some dialect: $name", (kind) => {
    const neverTaken = kind.dimensions.filter((dimension) =>
      kind.paths.every((path) => {
        const combination = { kind: kind.name, dimensions: [dimension], path };
        return findGrowth(kind, combination, 3) === "refused";
      }),
    );
    expect(neverTaken).toEqual([]);
  });
});

describe("the combinations of a run", () => {
  it("go all ways alone and one way in a pair", () => {
    const options = readGrowthOptions(["--kind", "chat-answer"]);
    const count = documentKinds.find(({ name }) => name === "chat-answer")?.dimensions.length ?? 0;
    const plan = planCombinations(options);
    expect(plan.length).toBe(3 * count + (count * (count - 1)) / 2);
  });

  it("are divided by `--shard`", () => {
    const all = planCombinations(readGrowthOptions([]));
    const shards = ["1/2", "2/2"].map((shard) =>
      planCombinations(readGrowthOptions(["--shard", shard])),
    );
    expect(shards[0]?.length).toBe(Math.ceil(all.length / 2));
    expect(new Set(shards.flat()).size).toBe(all.length);
  });
});
