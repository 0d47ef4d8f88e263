import { describe, expect, it } from "vitest";
import {
  extractTokenUsageFromEvents,
  extractTokenUsageFromText,
} from "../../../src/gateway/call/extract-usage.ts";

const chat = { prompt_tokens: 100, completion_tokens: 20 };
const nested = { usage: { prompt_tokens: 0, completion_tokens: 0 } };
const told = { input: 100, output: 20 };

describe("the usage of an answer that is passed on", () => {
  it("is looked for in the text where the body is cut, and not in a string", () => {
    const cut = JSON.stringify({ choices: ["x"], usage: chat }).slice(10);
    expect(extractTokenUsageFromText("dialect_chat", cut)).toMatchObject(told);
    expect(
      extractTokenUsageFromText(
        "dialect_chat",
        String.raw`{"text":"\"usage\":{\"prompt_tokens\":1}"}`,
      ),
    ).toBe(undefined);
  });

  it("is put together of all that the text tells, a later object over an earlier one", () => {
    const text = `${JSON.stringify({ usage: chat })} {"usage": {"completion_tokens": 30}} "usage" "usage":1`;
    expect(extractTokenUsageFromText("dialect_chat", text)).toMatchObject({
      input: 100,
      output: 30,
    });
    expect(
      extractTokenUsageFromText("dialect_chat", '"usage":{"completion_tokens":7}'),
    ).toMatchObject({
      input: undefined,
      output: 7,
    });
    expect(
      extractTokenUsageFromText("dialect_chat", '{"usage":{"completion_tokens":7'),
    ).toBeUndefined();
  });

  it("is told by events of each dialect, a later one over an earlier one", () => {
    const event = (data: object) => `event: x\r\ndata: ${JSON.stringify(data)}\r\n\r\n`;
    expect(
      extractTokenUsageFromEvents(
        "dialect_messages",
        event({
          type: "message_start",
          message: { usage: { input_tokens: 100, output_tokens: 1 } },
        }) + event({ type: "message_delta", delta: nested, usage: { output_tokens: 20 } }),
      ),
    ).toMatchObject(told);
    expect(
      extractTokenUsageFromEvents(
        "dialect_responses",
        event({
          type: "response.completed",
          response: { usage: { input_tokens: 100, output_tokens: 20 }, tools: [nested] },
        }),
      ),
    ).toMatchObject(told);
    expect(
      extractTokenUsageFromEvents(
        "dialect_chat",
        event({ choices: [nested] }) + event({ choices: [], usage: chat }),
      ),
    ).toMatchObject(told);
  });
});
