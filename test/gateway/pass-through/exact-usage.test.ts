import { describe, expect, it } from "vitest";
import { StreamUsageReader } from "../../../src/gateway/pass-through/exact-usage.ts";
import { memoryHeldBy } from "../../support/held-memory.ts";

const usage = { prompt_tokens: 7, completion_tokens: 3 };

function chatEvent(delta: object, more: object = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta }], ...more })}\n\n`;
}

function read(text: string | Buffer, size = 1 << 16): StreamUsageReader {
  const reader = new StreamUsageReader("dialect_chat");
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.finish();
  return reader;
}

describe("StreamUsageReader", () => {
  it("reads the usage of an event of 17 MiB and of those after it", () => {
    const huge = chatEvent({ content: "x".repeat(17 * 1024 * 1024) }, { usage });
    const reader = read(huge + chatEvent({ content: "12345678" }));
    expect(reader.usage).toMatchObject({ input: 7, output: 3 });
    expect(reader.textTokens).toBe((17 * 1024 * 1024) / 4 + 2);
  });

  it.each(["message", "choices", "other"])("holds nothing of a long `%s`", (member) => {
    const reader = new StreamUsageReader("dialect_messages");
    const item = { delta: { content: "word ".repeat(100), partial_json: ["a", "b"] } };
    const value = Array.from({ length: 1000 }, () => item);
    const open = Buffer.from(`data: {${JSON.stringify(member)}:${JSON.stringify(value)}`);
    expect(open.length).toBeGreaterThan(500_000);
    expect(memoryHeldBy((piece) => reader.push(piece), open)).toBeLessThan(200 * 1024);
  });

  it("estimates the tokens of all pieces together, not of each", () => {
    expect(read(chatEvent({ content: "word " }).repeat(100)).textTokens).toBe(125);
  });

  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("reads `data` lines of one event with %s, cut at any byte", (_name, lineEnd) => {
    const event = { choices: [{ delta: { content: 'grüße 🙂 \n"\u0001' } }], usage };
    const lines = JSON.stringify(event, null, 1).split("\n");
    const text = ["\u{feff}: hi", "event: x", ...lines.map((line) => `data: ${line}`), "", ""];
    for (const size of [1, 2, 3, 7, 1 << 16]) {
      const reader = read(text.join(lineEnd), size);
      expect(reader.usage).toMatchObject({ input: 7, output: 3 });
      expect(reader.textTokens).toBe(3);
    }
  });

  it("passes over events that are not JSON or have a usage of 100 KiB", () => {
    const odd = ["data: [DONE]\n\n", "data\n\n", 'data: {"choices":]\n\n', "data: 7\n\n"].join("");
    const large = chatEvent({ content: "abcd" }, { usage: { note: "x".repeat(100 * 1024) } });
    const reader = read(odd + large + chatEvent({ content: "abcd" }, { usage }) + odd);
    expect(reader.usage).toMatchObject({ input: 7, output: 3 });
    expect(reader.textTokens).toBe(1);
  });

  it("takes a last event without its blank line but not a cut one", () => {
    const event = chatEvent({ content: "abcd" }, { usage });
    expect(read(event.trimEnd())).toMatchObject({ usage: { input: 7, output: 3 }, textTokens: 1 });
    expect(read(event.slice(0, -5))).toMatchObject({ usage: undefined, textTokens: 0 });
  });

  it("counts texts of every depth in the members that hold them", () => {
    const delta = {
      role: "assistant",
      content: [{ type: "text", text: "abcd" }],
      tool_calls: [{ index: 0, id: "call_1", function: { name: "f", arguments: "12345678" } }],
    };
    expect(read(chatEvent(delta)).textTokens).toBe(3);
  });
});
