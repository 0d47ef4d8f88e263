import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  maxReasoningEnvelopeBytes,
  createReasoningEnvelopeSealer,
} from "../../src/dialect/signed-envelope.ts";
import type { EncryptedReasoning } from "../../src/dialect/neutral-request.ts";

const binding = { key: Buffer.alloc(32, 1), upstream: "custom/lab", model: "m" };
const envelope = createReasoningEnvelopeSealer(binding);
const thinking: EncryptedReasoning = {
  dialect: "dialect_messages",
  kind: "thinking",
  signature: "Eq/+==",
};
const seals: readonly EncryptedReasoning[] = [
  thinking,
  { dialect: "dialect_messages", kind: "redacted", data: "zz" },
  { dialect: "dialect_responses", kind: "encrypted", id: "rs_1", encryptedContent: "e" },
  { dialect: "dialect_chat", kind: "plain" },
];

describe("createSignedEnvelope()", () => {
  it.each(seals)("gives $kind back with its words", (seal) => {
    const text = envelope.seal(seal, ["Grüße", ""]);
    const texts = seal.kind === "redacted" ? [] : ["Grüße", ""];
    expect(text).toMatch(/^cw1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/);
    expect(envelope.open(text)).toEqual({ encryptedReasoning: seal, texts });
  });

  it("gives equal texts for equal seals", () => {
    expect(envelope.seal(thinking, ["a"])).toBe(envelope.seal(thinking, ["a"]));
  });

  it.each([
    ["another key", { ...binding, key: Buffer.alloc(32, 2) }],
    ["another upstream", { ...binding, upstream: "custom/other" }],
    ["another model", { ...binding, model: "n" }],
    ["a boundary that moved", { ...binding, upstream: "custom/la", model: "bm" }],
  ])("does not open with %s", (_name, other) => {
    expect(
      createReasoningEnvelopeSealer(other).open(envelope.seal(thinking, ["a"])),
    ).toBeUndefined();
  });

  it("does not open with any character changed", () => {
    const text = envelope.seal(thinking, ["a"]);
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom("A", "b", ".", "=", "é"),
        (at, letter) => {
          const forged = text.slice(0, at) + letter + text.slice(at + 1);
          fc.pre(forged !== text);
          expect(envelope.open(forged)).toBeUndefined();
        },
      ),
    );
  });

  it.each(["", "cw1.", "cw1..", "cw1.a.b.c", "EqQBCgIYAhIM==", "cw2.e30.AAAA"])(
    "takes %j for no envelope of ours",
    (text) => {
      expect(envelope.open(text)).toBeUndefined();
    },
  );

  it("carries at most 256 KiB", () => {
    const words = (length: number) => envelope.seal(thinking, ["a".repeat(length)]);
    expect(words(150_000).length).toBeLessThan(maxReasoningEnvelopeBytes);
    expect(words(200_000)).toBe("");
  });
});
