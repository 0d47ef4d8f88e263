import { describe, expect, it } from "vitest";
import { prefersHtml } from "../../../src/transport/docs/prefers-html.ts";
import { expectLinear } from "../../support/growth.ts";

describe("prefersHtml", () => {
  it("reads an accept header in time that grows with its length", () => {
    expectLinear(16_000, (size) => {
      const accept = `a${" ".repeat(size)}b`;
      return () => prefersHtml(accept);
    });
  });

  it("takes white space around the parameters of a type", () => {
    expect(prefersHtml("text/html ; level=1 ; q=0.4 , application/json;q=0.5")).toBe(false);
    expect(prefersHtml("text/html ; q=0.6 , application/json;q=0.5")).toBe(true);
  });
});
