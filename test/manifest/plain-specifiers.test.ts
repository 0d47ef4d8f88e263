import fc from "fast-check";
import npa from "npm-package-arg";
import { describe, expect, it, vi } from "vitest";
import { parseNpmSpecifier } from "../../src/manifest/package-json/npm-spec.ts";

const characters = "01.^~<>=|*xXva-+#%_ ()[]!\\&?$'\u00e4\ud800".split("");
const names = [
  "a",
  "A1",
  "@a/b",
  "a~",
  "_a",
  "node_modules",
  "Favicon.ico",
  "a b",
  "@/a",
  "a/b",
  "@a/.b",
];

/** Returns the type that npm's own parser gives a specifier, or undefined if it refuses it. */
function typeByLibrary(name: string, text: string): string | undefined {
  try {
    return npa.resolve(name, text, "/").type;
  } catch {
    return undefined;
  }
}

describe("parseNpmSpecifier", () => {
  it("reads a specifier without an address as the library does", () => {
    const texts = fc.array(fc.constantFrom(...characters), { maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...names), texts, (name, parts) => {
        const text = parts.join("").trim();
        fc.pre(!text.startsWith("$"));
        const read = parseNpmSpecifier(name, text);
        const type = typeByLibrary(name, text);
        if (type === "version") expect(read).toHaveProperty("version");
        else if (type === "range" || type === "tag")
          expect(read).toMatchObject({ constraint: type });
        else expect(read).toHaveProperty("reason");
      }),
      { numRuns: 1000 },
    );
  });

  it("creates no URL for a specifier without an address", () => {
    const makeUrl = vi.spyOn(globalThis, "URL");
    try {
      for (const text of ["*", "1", "^1.2.3", "a#", "latest", "", ">=1 <2 || 3"]) {
        for (const name of ["a", "@a/b", "A.b_c"]) parseNpmSpecifier(name, text);
      }
      expect(makeUrl).not.toHaveBeenCalled();
    } finally {
      makeUrl.mockRestore();
    }
  });
});
