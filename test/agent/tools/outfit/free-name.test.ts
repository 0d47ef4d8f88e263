import { describe, expect, it } from "vitest";
import { toolNameOf } from "../../../../src/agent/tools/outfit/free-name.ts";
import { expectLinear } from "../../../support/growth.ts";

describe("toolNameOf", () => {
  it("reads the name of a server's tool in time that grows with its length", () => {
    expectLinear(16_000, (size) => {
      const name = `a${"_".repeat(size)}b`;
      return () => toolNameOf(name);
    });
  });

  it("removes underscores at both ends", () => {
    expect(toolNameOf("(look up)")).toBe("look_up");
  });
});
