import { describe, expect, it } from "vitest";
import {
  isSignInLinkCode,
  isWellFormedCredentialToken,
  generateInviteCode,
  generateSignInLinkCode,
  generateCredentialToken,
  randomDigits,
  credentialTokenPattern,
} from "../../../src/platform/crypto/token.ts";

describe("newToken()", () => {
  it("makes tokens that have the published form and a checksum", () => {
    for (let round = 0; round < 200; round++) {
      const token = generateCredentialToken("cwk");
      expect(token).toMatch(credentialTokenPattern);
      expect(isWellFormedCredentialToken(token, "cwk")).toBe(true);
      expect(isWellFormedCredentialToken(token, "cws")).toBe(false);
    }
  });

  it("[identity.key-form] pins the checksum: base62 of the CRC32 of what precedes it", () => {
    expect(isWellFormedCredentialToken(`cwk_${"0".repeat(43)}${pinnedChecksum}`, "cwk")).toBe(true);
  });
});

// CRC32("cwk_" + 43 zeros) computed with Python's zlib.crc32 and written in base62.
const pinnedChecksum = "1W9vPU";

describe("isWellFormedCredentialToken()", () => {
  it("notices each changed character", () => {
    const token = generateCredentialToken("cwk");
    for (let index = 4; index < token.length; index++) {
      const changed =
        token.slice(0, index) + (token[index] === "a" ? "b" : "a") + token.slice(index + 1);
      expect(isWellFormedCredentialToken(changed, "cwk"), `position ${index}`).toBe(false);
    }
  });

  it.each(["", "cwk_", "x".repeat(53), `cwk_${"é".repeat(49)}`, "sk-ant-api03-abc"])(
    "refuses the token %j",
    (text) => {
      expect(isWellFormedCredentialToken(text, "cwk")).toBe(false);
    },
  );
});

describe("newLinkCode()", () => {
  it("makes codes that nobody takes for digits, each another", () => {
    const codes = Array.from({ length: 200 }, generateSignInLinkCode);
    expect(codes.filter((code) => !isSignInLinkCode(code))).toEqual([]);
    expect(new Set(codes).size).toBe(200);
    expect(["12345678", "", `${codes[0] ?? ""}0`, "é".repeat(22)].filter(isSignInLinkCode)).toEqual(
      [],
    );
  });
});

describe("newInviteCode() and randomDigits()", () => {
  it("[identity.invite-code] give inv_ and 28 characters, and as many digits as asked", () => {
    expect(generateInviteCode()).toMatch(/^inv_[0-9A-Za-z]{28}$/);
    expect(randomDigits(8)).toMatch(/^\d{8}$/);
  });
});
