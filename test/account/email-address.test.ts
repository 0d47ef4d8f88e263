import { describe, expect, test } from "vitest";
import { parseEmailAddress } from "../../src/account/email-address.ts";

describe("parseEmail()", () => {
  test.each([
    ["  Ann@Example.ORG ", "ann@example.org"],
    ["a.n.n+tag@example.org", "a.n.n+tag@example.org"],
    ["owner@localhost", "owner@localhost"],
    ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
    ["e\u0301@example.org", "é@example.org"],
    ["ann@ｅxample.org", "ann@example.org"],
  ])("%s is compared as %s", (text, normalised) => {
    expect(parseEmailAddress(text).normalized).toBe(normalised);
  });

  test("keeps the typed form for display, and mails to the ASCII domain", () => {
    expect(parseEmailAddress(" Ann@BÜCHER.example ")).toMatchObject({
      original: "Ann@BÜCHER.example",
      mailbox: "Ann@xn--bcher-kva.example",
    });
  });

  test.each([
    "",
    "ann",
    "@example.org",
    "ann@",
    "ann@@example.org",
    "a@b@example.org",
    "ann,bob@example.org",
    "ann @example.org",
    "ann@exam ple.org",
    "ann\n@example.org",
    "ann\u0000@example.org",
    "ann\u200b@example.org",
    "Ann <ann@example.org>",
    '"ann"@example.org',
    `${"a".repeat(243)}@example.org`,
  ])("refuses the address %j", (text) => {
    expect(() => parseEmailAddress(text)).toThrow(
      expect.objectContaining({ code: "invalid_request", param: "email" }),
    );
  });

  test("takes 254 characters", () => {
    expect(parseEmailAddress(`${"a".repeat(242)}@example.org`).normalized).toHaveLength(254);
  });
});
