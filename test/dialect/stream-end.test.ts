import { describe, expect, it } from "vitest";
import { chatDialectOperation } from "../../src/dialect/chat/index.ts";
import type { DialectOperation } from "../../src/dialect/dialect-surface.ts";
import { messagesDialectOperation } from "../../src/dialect/messages/index.ts";
import { responsesDialectOperation } from "../../src/dialect/responses/index.ts";

function read(surface: DialectOperation, line: string): string {
  const bytes = Buffer.from(`xx${line}\n`);
  return surface.readLine(bytes, 2, bytes.length - 1);
}

describe("readLine()", () => {
  it.each([
    ["data: [DONE]", "end"],
    ["data:[DONE] ", "end"],
    ["data: [DONE", "none"],
    ['data: {"error":{"message":"x"}}', "error"],
    ['data: { "error" : "x"}', "error"],
    ['data: {"error":null,"id":"x"}', "none"],
    ['data: {"id":"x","choices":[]}', "none"],
    ['data: {"id":"x","choices":[{"delta":{"content":"[DONE]"}}]}', "none"],
    ["event: error", "error"],
    ["event: message", "none"],
    [": [DONE]", "none"],
    ["data:", "none"],
  ])("reads the line `%s` of a chat stream as: %s", (line, signal) => {
    expect(read(chatDialectOperation, line)).toBe(signal);
  });

  it.each([
    ["event: message_stop", "end"],
    ["event:message_stop", "end"],
    ["event: message_start", "none"],
    ["event: error", "error"],
    ["event: ping", "none"],
    ['data: {"type":"message_stop"}', "none"],
  ])("reads the line `%s` of a messages stream as: %s", (line, signal) => {
    expect(read(messagesDialectOperation, line)).toBe(signal);
  });

  it.each([
    ["event: response.completed", "end"],
    ["event: response.incomplete", "end"],
    ["event: response.failed", "end"],
    ["event: response.created", "none"],
    ["event: error", "error"],
    ['data: {"type":"response.completed","response":{}}', "end"],
    ['data: { "type": "response.failed", "response":{}}', "end"],
    ['data: {"type":"error","code":"x"}', "error"],
    ['data: {"type":"response.output_text.delta","delta":"response.completed"}', "none"],
    ["data: [DONE]", "none"],
  ])("reads the line `%s` of a responses stream as: %s", (line, signal) => {
    expect(read(responsesDialectOperation, line)).toBe(signal);
  });
});

describe("isWhole()", () => {
  it("takes a finished choice for the end of a chat stream", () => {
    const finished = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
    expect(chatDialectOperation.isComplete(`${finished}data: {"choices":[],"usage":{}}\n\n`)).toBe(
      true,
    );
    expect(chatDialectOperation.isComplete('data: {"choices":[{"finish_reason": null}]}\n\n')).toBe(
      false,
    );
    const quoted = JSON.stringify({ content: '"finish_reason":"stop"' });
    expect(chatDialectOperation.isComplete(`data: {"choices":[{"delta":${quoted}}]}\n\n`)).toBe(
      false,
    );
  });

  it("takes a terminal type at the end of the last event of responses", () => {
    const last = 'data: {"response":{},"sequence_number":9,"type":"response.completed"}\n\n';
    expect(responsesDialectOperation.isComplete(last)).toBe(true);
    expect(
      responsesDialectOperation.isComplete('data: {"type":"response.output_text.delta"}\n\n'),
    ).toBe(false);
  });

  it("knows nothing else for messages", () => {
    expect(
      messagesDialectOperation.isComplete(
        'event: message_delta\ndata: {"stop_reason":"end_turn"}\n\n',
      ),
    ).toBe(false);
  });
});

describe("closing()", () => {
  const whole = { sawEnd: true, lacksBlankLine: false };

  it("adds nothing to a stream that ended as it should", () => {
    for (const surface of [
      chatDialectOperation,
      messagesDialectOperation,
      responsesDialectOperation,
    ]) {
      expect(surface.closingFrames(whole)).toBe("");
    }
  });

  it("adds what the dialect's client would miss", () => {
    expect(chatDialectOperation.closingFrames({ sawEnd: false, lacksBlankLine: false })).toBe(
      "data: [DONE]\n\n",
    );
    expect(chatDialectOperation.closingFrames({ sawEnd: false, lacksBlankLine: true })).toBe(
      "\n\ndata: [DONE]\n\n",
    );
    expect(chatDialectOperation.closingFrames({ sawEnd: true, lacksBlankLine: true })).toBe("");
    expect(messagesDialectOperation.closingFrames({ sawEnd: true, lacksBlankLine: true })).toBe(
      "\n\n",
    );
  });
});
