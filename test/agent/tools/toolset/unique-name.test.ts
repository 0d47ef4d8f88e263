import { describe, expect, it } from "vitest";
import { toToolName } from "../../../../src/agent/tools/toolset/unique-name.ts";
import { expectLinear } from "../../../support/growth.ts";

describe("toToolName", () => {
  it("reads the name of a server's tool in time that grows with its length", () => {
    expectLinear(16_000, (size) => {
      const name = `a${"_".repeat(size)}b`;
      return () => toToolName(name);
    });
  });

  it("removes underscores at both ends", () => {
    expect(toToolName("(look up)")).toBe("look_up");
  });
});
