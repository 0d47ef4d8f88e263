import { describe, expect, test } from "vitest";
import { answerBytes, countTokens } from "./response-sizes.ts";
import { dialects } from "./dialects.ts";

describe.each(Object.entries(dialects))("traffic of %s", (_, traffic) => {
  test("answers 1 KB of JSON", () => {
    expect(Buffer.byteLength(traffic.answer)).toBeLessThanOrEqual(answerBytes);
    expect(Buffer.byteLength(traffic.answer)).toBeGreaterThan(answerBytes - 8);
    expect(JSON.parse(traffic.answer)).toHaveProperty("usage");
  });

  test.each([1024, 32 * 1024])("asks with %s bytes of JSON", (bytes) => {
    const shape = { model: "custom/bench/mock", bytes, stream: true, maxTokens: 7 };
    const body = traffic.requestBody(shape);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bytes);
    expect(Buffer.byteLength(body)).toBeGreaterThan(bytes * 0.99);
    expect(JSON.parse(body)).toMatchObject({ model: shape.model, max_tokens: 7, stream: true });
  });

  test("marks every streamed token once and nothing else", () => {
    expect(countTokens(Buffer.from(traffic.token))).toBe(1);
    expect(countTokens(Buffer.from(traffic.opening + traffic.closing))).toBe(0);
  });
});
