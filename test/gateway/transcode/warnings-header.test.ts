import { describe, expect, it } from "vitest";
import type { ConversionWarning } from "../../../src/dialect/conversion-warning.ts";
import { formatWarningsHeader } from "../../../src/gateway/transcode/warnings-header.ts";

const loss = (path: string): ConversionWarning => ({
  path,
  action: "dropped",
  reason: "unsupported",
});

describe("warningsHeader()", () => {
  it("is a structured-field list of strings with an action and a reason", () => {
    const losses: ConversionWarning[] = [
      loss("seed"),
      { path: "temperature", action: "approximated", reason: "range" },
    ];
    expect(formatWarningsHeader(losses)).toBe(
      `"seed";action=dropped;reason=unsupported, "temperature";action=approximated;reason=range`,
    );
  });

  it("is left out when nothing was lost", () => {
    expect(formatWarningsHeader([])).toBeUndefined();
  });

  it("says the same loss once", () => {
    expect(formatWarningsHeader([loss("seed"), loss("seed")])).toBe(
      formatWarningsHeader([loss("seed")]),
    );
  });

  it("folds indexes when there are more than 32", () => {
    const many = Array.from({ length: 33 }, (_none, index) => loss(`messages[${index}].name`));
    expect(formatWarningsHeader(many)).toBe(`"messages[*].name";action=dropped;reason=unsupported`);
    expect(formatWarningsHeader(many.slice(1))?.split(", ")).toHaveLength(32);
  });

  it("escapes what a string of a structured field cannot hold", () => {
    expect(formatWarningsHeader([loss('a"b\\c\n\u00e9')])).toBe(
      String.raw`"a\"b\\c??";action=dropped;reason=unsupported`,
    );
  });

  it("stays below 4 KiB and says that there is more", () => {
    const many = Array.from({ length: 400 }, (_none, index) => loss(`field_${index}_with_a_name`));
    const header = formatWarningsHeader(many) ?? "";
    expect(header.length).toBeLessThanOrEqual(4096);
    expect(header.split(", ").at(-1)).toBe(`"*";action=dropped;reason=more`);
  });
});
