import { describe, expect, it } from "vitest";
import { sanitizeLine, sanitizeLines } from "../../src/cli/format-cell.ts";
import { formatJson } from "../../src/cli/output.ts";

/** What steers a terminal or reorders its text: C0, DEL, C1, an override and an isolate. */
const steering = ["\u001b", "\u007f", "\u009b", "\u202e", "\u2066"];

describe("formatJson()", () => {
  it("escapes every character that steers a terminal, and keeps the value", () => {
    const value = { text: `a${steering.join("b")}c`, name: "Zoë 🙂 עברית" };
    const text = formatJson(value);
    for (const character of steering) expect(text).not.toContain(character);
    expect(text).toContain("Zoë 🙂 עברית");
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe("printable()", () => {
  it.each(steering)("replaces %j", (character) => {
    expect(sanitizeLine(`a${character}b`)).toBe("a\u{fffd}b");
    expect(sanitizeLines(`a\n\t${character}b\r\n`)).toBe("a\n\t\u{fffd}b\n");
  });
});
