import { describe, expect, it, vi } from "vitest";
import { sanitizeTerminalLine, sanitizeTerminalLines } from "../../src/cli/format-cell.ts";
import { formatTerminalSafeJson, writeToStderr, writeToStdout } from "../../src/cli/output.ts";

/** What steers a terminal or reorders its text: C0, DEL, C1, an override and an isolate. */
const steering = ["\u001b", "\u007f", "\u009b", "\u202e", "\u2066"];

describe("formatJson()", () => {
  it("escapes every character that steers a terminal, and keeps the value", () => {
    const value = { text: `a${steering.join("b")}c`, name: "Zoë 🙂 עברית" };
    const text = formatTerminalSafeJson(value);
    for (const character of steering) expect(text).not.toContain(character);
    expect(text).toContain("Zoë 🙂 עברית");
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe("printable()", () => {
  it.each(steering)("replaces %j", (character) => {
    expect(sanitizeTerminalLine(`a${character}b`)).toBe("a\u{fffd}b");
    expect(sanitizeTerminalLines(`a\n\t${character}b\r\n`)).toBe("a\n\t\u{fffd}b\n");
  });
});

describe("the output of a command in the log of a CI job", () => {
  it.each([
    ["::add-mask::high/package.json", "\u{fffd}:add-mask::high/package.json"],
    ["a\n \t ::error::b", "a\n \t \u{fffd}:error::b"],
    ["a ##[add-mask]b", "a \u{fffd}#[add-mask]b"],
    ["a ##vso[task.setvariable variable=b]c", "a \u{fffd}#vso[task.setvariable variable=b]c"],
    ["a::b ## c", "a::b ## c"],
  ])("has no command for %j", (text, shown) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    const error = vi.spyOn(console, "error").mockReturnValue();
    writeToStdout(text);
    writeToStderr(text);
    const written = [...log.mock.calls, ...error.mock.calls];
    log.mockRestore();
    error.mockRestore();
    expect(written).toEqual([[shown], [shown]]);
  });

  it("has the same value in JSON", () => {
    const value = { text: "a ##[add-mask]b", "##vso[c": "::" };
    const text = formatTerminalSafeJson(value);
    expect(text).not.toMatch(/##\w*\[/);
    expect(JSON.parse(text)).toEqual(value);
  });
});
