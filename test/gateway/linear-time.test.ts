import { describe, expect, it } from "vitest";
import type { CallerResponse } from "../../src/gateway/call/caller-response.ts";
import { extractTokenUsageFromText } from "../../src/gateway/call/extract-usage.ts";
import { createUsageHidingStage } from "../../src/gateway/pass-through/hide-usage.ts";
import { learnCapabilitiesFromRefusal } from "../../src/gateway/transcode/learned-capabilities.ts";
import { Secret } from "../../src/platform/crypto/secret.ts";
import { redactUpstreamMessage } from "../../src/gateway/upstream/redact-message.ts";
import { expectLinear } from "../support/growth.ts";

describe("hideUsage", () => {
  it("reads a frame of an upstream in time that grows with its length", () => {
    expectLinear(30_000, (size) => {
      const frame = Buffer.from(`data: ${'"usage":{'.repeat(size / 9)}\n\n`);
      const next = { push: () => true, finish: () => undefined, fail: () => undefined };
      const stage = createUsageHidingStage({} as CallerResponse)(next);
      return () => stage.push(frame);
    });
  });
});

describe("extractTokenUsageFromText", () => {
  it("reads members that are not closed in time that grows with their number", () => {
    expectLinear(30_000, (size) => {
      const text = `{${'"usage":{'.repeat(size / 9)}}`;
      return () => extractTokenUsageFromText("dialect_chat", text);
    });
  });
});

describe("learnCapabilitiesFromRefusal", () => {
  const sent = { encryptedReasoning: true } as Parameters<typeof learnCapabilitiesFromRefusal>[0];

  it("reads a refusal in time that grows with its length", () => {
    expectLinear(30_000, (size) => {
      const refusal = "include ".repeat(size / 8);
      return () => learnCapabilitiesFromRefusal(sent, refusal);
    });
  });

  it("learns that reasoning is refused only where the words follow the field", () => {
    const learn = (text: string) => learnCapabilitiesFromRefusal(sent, text);
    expect(learn("The field `include`\nis not supported.")).toEqual({ encryptedReasoning: false });
    expect(learn("Unsupported value. Send include.")).toBeUndefined();
  });
});

describe("redactUpstreamMessage", () => {
  it("takes time that grows with a message and a secret of one repeated character", () => {
    expectLinear(200_000, (size) => {
      const half = "a".repeat(size / 256);
      const secrets = [new Secret(`${half}b${half}`)];
      const message = "a".repeat(size);
      return () => redactUpstreamMessage(message, secrets, "https://a.example");
    });
  });

  it("shows no part of a secret at the place where a long message is cut", () => {
    const secret = "k".repeat(4000);
    const message = secret.repeat(20);
    const shown = redactUpstreamMessage(message, [new Secret(secret)], "https://a.example");
    expect(shown).not.toContain("k");
  });
});
