import { describe, expect, it } from "vitest";
import { wantsPage } from "../../../src/transport/docs/wants-page.ts";
import { expectLinear } from "../../support/growth.ts";

describe("wantsPage", () => {
  it("reads an accept header in time that grows with its length", () => {
    expectLinear(16_000, (size) => {
      const accept = `a${" ".repeat(size)}b`;
      return () => wantsPage(accept);
    });
  });

  it("takes white space around the parameters of a type", () => {
    expect(wantsPage("text/html ; level=1 ; q=0.4 , application/json;q=0.5")).toBe(false);
    expect(wantsPage("text/html ; q=0.6 , application/json;q=0.5")).toBe(true);
  });
});
