import { describe, expect, it } from "vitest";
import { createRelayedResponseStoringStage } from "../../../src/gateway/pass-through/store-response.ts";
import { EventStreamResponseObjectExtractor } from "../../../src/gateway/pass-through/response-extractor.ts";

const end = `data: ${JSON.stringify({ type: "response.completed", response: { id: "a" } })}\n\n`;
const comment = Buffer.from(`: ${"x".repeat(64 * 1024)}\n\n`);

function keeping() {
  const stored = Promise.withResolvers<void>();
  const passed: Buffer[] = [];
  const next = {
    push: (piece: Buffer) => {
      passed.push(piece);
      return false;
    },
    finish: () => {},
    fail: () => {},
  };
  const stage = createRelayedResponseStoringStage(
    new EventStreamResponseObjectExtractor(() => undefined),
    () => stored.promise,
  )(next);
  return { stage, stored, text: () => Buffer.concat(passed) };
}

describe("keepResponse", () => {
  it("holds the last event and the little behind it until the response is stored", async () => {
    const { stage, stored, text } = keeping();
    expect(stage.push(Buffer.from(end))).toBe(true);
    expect(stage.push(comment)).toBe(true);
    expect(text().toString()).toBe("");
    stored.resolve();
    await stored.promise;
    await Promise.resolve();
    expect(text().toString()).toBe(end + comment.toString());
  });

  it("passes on what follows the last event while the database is slow", () => {
    const { stage, text } = keeping();
    stage.push(Buffer.from(end));
    const goesOn = Array.from({ length: 160 }, () => stage.push(comment));
    expect(goesOn).toContain(false);
    expect(end.length + 160 * comment.length - text().length).toBeLessThan(2 * 1024 * 1024);
  });
});
