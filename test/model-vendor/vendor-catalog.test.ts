import { describe, expect, it } from "vitest";
import { VendorCatalog } from "../../src/model-vendor/vendor-catalog.ts";

const acme = {
  label: "Acme",
  baseUrl: "https://acme.example/v1",
  dialects: ["dialect_chat"],
  auth: "bearer",
  models: undefined,
} as const;
const bolt = { ...acme, label: "Bolt" };

describe("VendorCatalog", () => {
  it("[file.vendors] merges lists by id, a later one wins, and sorts by id", () => {
    const catalogue = new VendorCatalog({ zeta: acme, bolt: acme }, { bolt, acme });
    expect(catalogue.all().map(({ id, label }) => [id, label])).toEqual([
      ["acme", "Acme"],
      ["bolt", "Bolt"],
      ["zeta", "Acme"],
    ]);
  });

  it("knows its vendors and nothing that objects inherit", () => {
    const catalogue = new VendorCatalog({ acme });
    expect(catalogue.has("acme")).toBe(true);
    expect(catalogue.has("constructor")).toBe(false);
    expect(catalogue.find("bolt")).toBeUndefined();
    expect(() => catalogue.get("acme2")).toThrow(expect.objectContaining({ code: "not_found" }));
  });
});
