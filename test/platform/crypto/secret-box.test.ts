import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secret } from "../../../src/platform/crypto/secret.ts";
import { SealError, SecretBox } from "../../../src/platform/crypto/secret-box.ts";

const place = { table: "upstreams", row: "upstream_1", column: "api_key" };
const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);

describe("SecretBox", () => {
  const box = new SecretBox([oldKey]);

  it("opens what it sealed, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(box.open(box.seal(text, place), place)).toBe(
          text.isWellFormed() ? text : text.toWellFormed(),
        );
      }),
    );
  });

  it("opens what it sealed in pieces, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), async (pieces) => {
        const sealed = await box.sealPieces(pieces, place);
        expect(box.open(sealed, place)).toBe(pieces.join("").toWellFormed());
      }),
    );
  });

  it("lets other work have its turn while it seals a large value in pieces", async () => {
    let turns = 0;
    let isSealed = false;
    const count = (): void => {
      turns += 1;
      if (!isSealed) setImmediate(count);
    };
    setImmediate(count);
    const large = "ä".repeat(4 * 1024 * 1024);
    const sealed = await box.sealPieces([large, "!"], place);
    isSealed = true;
    expect(turns).toBeGreaterThanOrEqual(8);
    expect(box.open(sealed, place) === `${large}!`).toBe(true);
  });

  it("seals the same text differently each time", () => {
    expect(box.seal("x", place)).not.toBe(box.seal("x", place));
  });

  it.each([
    { ...place, table: "vendors" },
    { ...place, row: "upstream_2" },
    { ...place, column: "headers" },
  ])("[identity.sealed] does not open a value that was moved to %j", (elsewhere) => {
    const sealed = box.seal("sk-1", place);
    expect(() => box.open(sealed, elsewhere)).toThrow(SealError);
  });

  it("does not open a value of which a byte was changed", () => {
    const [version, keyId, ...parts] = box.seal("sk-1", place).split(".");
    for (const [part, text] of parts.entries()) {
      const bytes = Buffer.from(text, "base64url");
      for (let index = 0; index < bytes.length; index++) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(bytes.readUInt8(index) ^ 1, index);
        const forged = [version, keyId, ...parts.with(part, changed.toString("base64url"))].join(
          ".",
        );
        expect(() => box.open(forged, place)).toThrow(SealError);
      }
    }
  });

  it("[environment.secret-keys] moves a value to the first key and keeps the ciphertext", () => {
    const sealed = box.seal("sk-1", place);
    const rotated = new SecretBox([newKey, oldKey]);
    expect(rotated.isCurrent(sealed)).toBe(false);
    const rewrapped = rotated.rewrap(sealed, place);
    expect(rotated.isCurrent(rewrapped)).toBe(true);
    expect(rewrapped.split(".")[3]).toBe(sealed.split(".")[3]);
    expect(new SecretBox([newKey]).open(rewrapped, place)).toBe("sk-1");
    expect(() => new SecretBox([newKey]).open(sealed, place)).toThrow(/not configured/);
  });

  it("never holds the text", () => {
    expect(box.seal("canary-canary", place)).not.toContain("canary");
  });
});

describe("Secret", () => {
  it("is redacted in every form but one", () => {
    const secret = new Secret("canary");
    expect(
      [String(secret), JSON.stringify({ secret }), inspect(secret), inspect({ secret })].join(),
    ).not.toContain("canary");
    expect(secret.reveal()).toBe("canary");
  });
});
