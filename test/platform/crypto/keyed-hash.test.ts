import { describe, expect, it } from "vitest";
import { constantTimeEqual, keyedHash } from "../../../src/platform/crypto/keyed-hash.ts";

describe("keyedHash()", () => {
  it("is HMAC-SHA-256 (RFC 4231, test case 2)", () => {
    expect(keyedHash(Buffer.from("Jefe"), "what do ya want for nothing?").toString("hex")).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  });

  it("depends on the pepper", () => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(keyedHash(one, "x").equals(keyedHash(other, "x"))).toBe(false);
  });
});

describe("constantTimeEqual()", () => {
  it.each([
    ["cwa_token", "cwa_token", true],
    ["", "", true],
    ["cwa_token", "cwa_tokem", false],
    ["cwa_token", "cwa_token2", false],
    ["é", "e", false],
  ])("says of %j and %j whether they are equal: %s", (left, right, isEqual) => {
    expect(constantTimeEqual(left, right)).toBe(isEqual);
  });
});
