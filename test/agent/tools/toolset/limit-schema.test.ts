import { describe, expect, it } from "vitest";
import { sanitizeToolSchema } from "../../../../src/agent/tools/toolset/limit-schema.ts";
import { expectLinear } from "../../../support/growth.ts";

/** Every property refers to the whole schema by a different reference. */
function referencesToRoot(count: number, reference: (index: number) => string) {
  const properties = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`p${index}`, { $ref: reference(index) }]),
  );
  return { type: "object", properties };
}

describe("limitSchema", () => {
  it("reads many references to one place in time that grows with their number", () => {
    expectLinear(500, (size) => {
      const schema = referencesToRoot(size, (index) => `#x${index}`);
      return () => sanitizeToolSchema(schema);
    });
  });

  it("offers a schema that refers to itself", () => {
    expect(sanitizeToolSchema(referencesToRoot(2000, () => "#"))).toBeDefined();
  });

  it("does not follow an anchor", () => {
    const schema = referencesToRoot(2000, (index) => `#anchor${index}`);
    expect(sanitizeToolSchema(schema)).toEqual(schema);
  });

  it("rejects a chain of references of hundreds of links without a stack overflow", () => {
    const links = Array.from({ length: 2400 }, (_, index) => [
      `p${index}`,
      { $ref: `#/properties/p${index + 1}` },
    ]);
    expect(
      sanitizeToolSchema({ type: "object", properties: Object.fromEntries(links) }),
    ).toBeUndefined();
  });

  it("rejects references that double at each of twenty levels", () => {
    const levels = Array.from({ length: 20 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { properties: { a: next, b: next } }];
    });
    expect(
      sanitizeToolSchema({
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries([...levels, ["d20", {}]]),
      }),
    ).toBeUndefined();
  });
});
