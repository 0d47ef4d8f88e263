import { describe, expect, it } from "vitest";
import { sanitizeTerminalLine, sanitizeTerminalLines } from "../../src/cli/format-cell.ts";

const steering = ["\u001b", "\u009b", "\u202e", "\u2066", "\u2069", "\u200b", "\u200f", "\ufeff"];

describe("text of others on the terminal", () => {
  it.each(steering)("replaces a character that steers or cannot be seen: %j", (character) => {
    expect(sanitizeTerminalLine(`a${character}b`)).toBe("a\ufffdb");
    expect(sanitizeTerminalLines(`a${character}b\n\tc`)).toBe("a\ufffdb\n\tc");
  });
});
