import { describe, expect, it } from "vitest";
import { sanitizeTerminalLine, sanitizeTerminalLines } from "../../src/cli/format-cell.ts";

const steering = [
  "\u001b",
  "\u009b",
  "\u202e",
  "\u2066",
  "\u2069",
  "\u200b",
  "\u200f",
  "\ufeff",
  // A soft hyphen, deprecated format characters, annotations, fillers and tags.
  "\u00ad",
  "\u180e",
  "\u206a",
  "\ufff9",
  "\u115f",
  "\u3164",
  "\u{e0041}",
];

describe("text of others on the terminal", () => {
  it.each(steering)("replaces a character that steers or cannot be seen: %j", (character) => {
    expect(sanitizeTerminalLine(`a${character}b`)).toBe("a\ufffdb");
    expect(sanitizeTerminalLines(`a${character}b\n\tc`)).toBe("a\ufffdb\n\tc");
  });

  it.each([
    "\u{1f469}\u200d\u{1f4bb}",
    "\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645",
    "\u0600\u0661",
  ])("keeps the joiners and the signs of numbers of %j", (text) => {
    expect(sanitizeTerminalLine(text)).toBe(text);
    expect(sanitizeTerminalLines(text)).toBe(text);
  });
});
