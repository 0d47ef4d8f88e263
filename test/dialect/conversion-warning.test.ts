import { describe, expect, it } from "vitest";
import { ConversionWarningCollector } from "../../src/dialect/conversion-warning.ts";

describe("ConversionWarningCollector", () => {
  it("lists each place of the first 64 warnings, then folds their indexes", () => {
    const collector = new ConversionWarningCollector();
    for (let index = 0; index < 1000; index++) {
      collector.drop(`messages[${index}].name`, "unsupported");
      collector.approximate("temperature", "range");
    }
    const paths = collector.warnings.map(({ path }) => path);
    expect(paths).toHaveLength(66);
    expect(paths.slice(0, 3)).toEqual(["messages[0].name", "temperature", "messages[1].name"]);
    expect(paths.slice(-2)).toEqual(["messages[*].name", "temperature"]);
  });

  it("says once that there are more than it lists, and cuts long paths", () => {
    const collector = new ConversionWarningCollector();
    for (let index = 0; index < 1000; index++) {
      collector.drop(`m${index}`.padEnd(10_000, "x"), "unknown");
    }
    const { warnings: losses } = collector;
    expect(losses).toHaveLength(129);
    expect(losses.at(-1)).toEqual({ path: "*", action: "dropped", reason: "more" });
    expect(Math.max(...losses.map(({ path }) => path.length))).toBe(200);
  });
});
