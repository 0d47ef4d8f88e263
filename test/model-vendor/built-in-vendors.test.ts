import { describe, expect, it } from "vitest";
import { builtInVendors } from "../../src/model-vendor/built-in-vendors.ts";
import { VendorCatalog } from "../../src/model-vendor/vendor-catalog.ts";

const entries = Object.entries(builtInVendors);

describe("the built-in vendors", () => {
  it.each(entries)("%s has an id, an https address and a label of its own", (id, vendor) => {
    expect(id).toMatch(/^[a-z0-9][a-z0-9-]{0,62}$/);
    expect(new URL(vendor.baseUrl).protocol).toBe("https:");
    expect(vendor.baseUrl).not.toMatch(/\/$/);
    expect(entries.filter(([, { label }]) => label === vendor.label)).toHaveLength(1);
    expect(vendor.dialects.length).toBeGreaterThan(0);
  });

  it("speak their inventor's dialect to the inventor itself", () => {
    expect(builtInVendors["anthropic"]).toMatchObject({
      dialects: ["dialect_messages"],
      auth: "x-api-key",
      isFirstParty: true,
    });
    expect(builtInVendors["openai"]).toMatchObject({
      dialects: ["dialect_responses", "dialect_chat"],
      auth: "bearer",
      isFirstParty: true,
    });
  });

  it("are overridden by what the operator configures", () => {
    const own = { ...builtInVendors["openai"], baseUrl: "http://127.0.0.1:1/v1" };
    const catalogue = new VendorCatalog(builtInVendors, {
      openai: { ...own, label: "Proxy", dialects: ["dialect_chat"], auth: "bearer", models: ["m"] },
    });
    expect(catalogue.find("openai")).toMatchObject({ label: "Proxy", models: ["m"] });
    expect(catalogue.has("anthropic")).toBe(true);
  });
});
