import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/dialect/json.ts";
import { transcode } from "../support/transcoding.ts";

const question = [{ role: "user", content: "hello" }];
const bodies = [
  { dialect: "dialect_chat", body: { messages: question } },
  { dialect: "dialect_messages", body: { max_tokens: 9, messages: question } },
  { dialect: "dialect_responses", body: { input: "hello" } },
] as const;

describe.each(bodies)("a member `__proto__` of a $dialect body", ({ dialect, body }) => {
  it("is carried to its own dialect and changes no prototype", () => {
    const sent: JsonObject = { model: "m", ...body, ["__proto__"]: { tools: [] } };
    const { body: written } = transcode(sent, { from: dialect, to: dialect });
    expect(JSON.stringify(written)).toContain('"__proto__":{"tools":[]}');
    expect(Object.getPrototypeOf(written)).toBe(Object.prototype);
  });
});
