import { describe, expect, it } from "vitest";
import {
  sanitizeToolName,
  UniqueToolNameAllocator,
} from "../../../../src/agent/tools/toolset/unique-name.ts";
import { expectLinear } from "../../../support/growth.ts";

describe("sanitizeToolName", () => {
  it("reads the name of a server's tool in time that grows with its length", () => {
    expectLinear(16_000, (size) => {
      const name = `a${"_".repeat(size)}b`;
      return () => sanitizeToolName(name);
    });
  });

  it("removes underscores at both ends", () => {
    expect(sanitizeToolName("(look up)")).toBe("look_up");
  });
});

describe("UniqueToolNameAllocator", () => {
  it("numbers stems that are taken, and skips names that end with such a number", () => {
    const names = new UniqueToolNameAllocator(["look", "look_3"]);
    const created = ["look", "look", "find", "find_2", "find"].map((stem) => names.create(stem));
    expect(created).toEqual(["look_2", "look_4", "find", "find_2", "find_3"]);
  });

  it("keeps names within 64 characters", () => {
    const names = new UniqueToolNameAllocator();
    const created = Array.from({ length: 120 }, () => names.create("a".repeat(70)));
    expect(new Set(created).size).toBe(120);
    expect(Math.max(...created.map(({ length }) => length))).toBe(64);
  });

  it("names many equal and nearly equal stems in time that grows with their number", () => {
    expectLinear(5000, (size) => () => {
      const names = new UniqueToolNameAllocator();
      for (let count = 0; count < size; count++) {
        const stem = `${"a".repeat(61)}${count % 1000}`;
        names.create(stem);
      }
    });
  });
});
