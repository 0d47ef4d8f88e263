import { describe, expect, it } from "vitest";
import { getSafeUnparsedText, redactUrlSecrets } from "../../../src/cli/audit/shown-text.ts";
import { expectLinear } from "../../support/growth.ts";

describe("withoutSecrets", () => {
  it.each(["://a:b", "gist:", "://a"])(
    "reads a text that repeats %s in time that grows with its length",
    (piece) => {
      expectLinear(40_000, (size) => {
        const text = piece.repeat(size / piece.length);
        return () => redactUrlSecrets(text);
      });
    },
  );

  it.each([
    ["https://u:p/q@h.example/a", "https://***@h.example/a"],
    ["https://h.example:8080/a b@c", "https://h.example:8080/a b@c"],
    ["https://u:p/q…", "https://***@"],
    ["github:t@o/r x", "github:***@o/r x"],
    ["pkg:npm/a?t=1#b ://h?x", "pkg:npm/a?***#b ://h?***"],
  ])("masks %s", (text, masked) => {
    expect(redactUrlSecrets(text)).toBe(masked);
  });
});

describe("shownText", () => {
  it.each(["requirements.txt", "constraints.txt"])("hides a local line of a %s", (kind) => {
    expect(
      getSafeUnparsedText(kind, { text: "/home/me: a line", reason: "local" }),
    ).toBeUndefined();
    expect(
      getSafeUnparsedText(kind, { text: "a @ git+https://a.example/b", reason: "git" }),
    ).toBeDefined();
  });
});
