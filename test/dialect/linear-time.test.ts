import { describe, expect, it } from "vitest";
import { demoteSystemMessages } from "../../src/dialect/chat/demote-system-messages.ts";
import { chatCodec } from "../../src/dialect/chat/codec.ts";
import { ConversionWarningCollector } from "../../src/dialect/conversion-warning.ts";
import { CustomToolInputReader } from "../../src/dialect/custom-tool.ts";
import { messagesCodec } from "../../src/dialect/messages/codec.ts";
import { parseMessagesTruncatedObject } from "../../src/dialect/messages/parse-truncated.ts";
import { placeToolResultsAfterCalls } from "../../src/dialect/pair-tool-results.ts";
import { responsesCodec } from "../../src/dialect/responses/codec.ts";
import { createResponsesStreamEncoder } from "../../src/dialect/responses/encode-stream.ts";
import type { NeutralMessage } from "../../src/dialect/neutral-request.ts";
import { answerContext, requestContext, targetContext } from "../support/codec-contexts.ts";
import { callPart, emptyTurn, resultPart } from "../support/empty-turn.ts";
import { expectLinear } from "../support/growth.ts";

function count<Item>(size: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: size }, (_, index) => make(index));
}

describe("pairToolResults", () => {
  it("pairs many results of one call id in time that grows with their number", () => {
    expectLinear(6000, (size) => {
      const messages: NeutralMessage[] = [
        { path: "m", role: "assistant", parts: count(size, () => callPart("a")) },
        { path: "m", role: "tool", parts: count(size, () => resultPart("a")) },
      ];
      return () => placeToolResultsAfterCalls({ ...emptyTurn, messages });
    });
  });

  it("joins calls of many messages in time that grows with their number", () => {
    expectLinear(8000, (size) => {
      const messages: NeutralMessage[] = [
        ...count(size, (index): NeutralMessage => ({
          path: "m",
          role: "assistant",
          parts: [callPart(`${index}`)],
        })),
        { path: "m", role: "tool", parts: count(size, (index) => resultPart(`${index}`)) },
      ];
      return () => placeToolResultsAfterCalls({ ...emptyTurn, messages });
    });
  });

  it("gives the results of one call id to its calls in their order", () => {
    const messages: NeutralMessage[] = [
      { path: "m", role: "assistant", parts: [callPart("a"), callPart("a")] },
      { path: "m", role: "tool", parts: [resultPart("a", "one"), resultPart("a", "two")] },
    ];
    const [, results] = placeToolResultsAfterCalls({ ...emptyTurn, messages }).messages;
    expect(results?.parts).toMatchObject([
      { content: [{ text: "one" }] },
      { content: [{ text: "two" }] },
    ]);
  });
});

describe("demoteSystemMessages", () => {
  it("moves many system messages in time that grows with their number", () => {
    expectLinear(10_000, (size) => {
      const parts = [{ type: "text", path: "m", text: "a" }] as const;
      const messages = count(size, (): NeutralMessage => ({ path: "m", role: "system", parts }));
      return () => demoteSystemMessages(messages, new ConversionWarningCollector());
    });
  });
});

describe("the responses codec", () => {
  it("reads an input of many calls in time that grows with their number", () => {
    expectLinear(20_000, (size) => {
      const call = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
      const body = { model: "m", store: false, input: count(size, () => call) };
      return () => responsesCodec.decodeRequest(body, requestContext());
    });
  });

  it("writes a stream with many open parts in time that grows with their number", () => {
    expectLinear(8000, (size) => () => {
      const encoder = createResponsesStreamEncoder(answerContext());
      encoder.push({ type: "response-start" });
      for (let index = 0; index < size; index++) {
        const part = { type: "tool-call", kind: "function", id: `${index}`, name: "f" } as const;
        encoder.push({ type: "part-start", index, part });
      }
    });
  });
});

describe("WrappedInputReader", () => {
  it.each([
    ["another shape", '{"other":"', "x".repeat(1000)],
    ["blanks", "", " ".repeat(1000)],
    ["the right shape", '{"input":"', "x".repeat(1000)],
  ])("reads pieces of %s in time that grows with their number", (_shape, first, piece) => {
    expectLinear(600, (size) => () => {
      const reader = new CustomToolInputReader();
      reader.read(first);
      for (let index = 0; index < size; index++) reader.read(piece);
      reader.end();
    });
  });

  it("reads the text behind any number of blanks", () => {
    const reader = new CustomToolInputReader();
    const pieces = [" ".repeat(3000), " ".repeat(3000), '{"input":"a', '\\nb"}'];
    const told = pieces.map((piece) => reader.read(piece)).join("");
    expect(told + reader.end()).toBe("a\nb");
  });
});

describe("a choice of many tools", () => {
  const tools = (size: number) =>
    count(size, (index) => ({
      type: "function" as const,
      path: "t",
      name: `f${index}`,
      parameters: {},
      strict: false,
      extras: [],
    }));

  it("is read from responses in time that grows with its length", () => {
    expectLinear(4000, (size) => {
      const allowed = count(size, () => ({ type: "function", name: `f${size - 1}` }));
      const tool_choice = { type: "allowed_tools", mode: "auto", tools: allowed };
      const body = { model: "m", store: false, input: "x", tools: tools(size), tool_choice };
      return () => responsesCodec.decodeRequest(body, requestContext());
    });
  });

  const parts = [{ type: "text", path: "m", text: "x" }] as const;
  const asked: NeutralMessage = { path: "m", role: "user", parts };

  it.each([chatCodec, messagesCodec, responsesCodec])(
    "is written for an upstream in time that grows with its length",
    (codec) => {
      expectLinear(4000, (size) => {
        const last = `f${size - 1}`;
        const toolChoice = {
          path: "c",
          kind: "allowed",
          names: count(size, () => last),
          isRequired: false,
        } as const;
        const request = { ...emptyTurn, messages: [asked], tools: tools(size), toolChoice };
        return () => codec.encodeRequest(request, targetContext());
      });
    },
  );
});

describe("parseTruncated", () => {
  it("reads cut arguments of many brackets in time that grows with their number", () => {
    expectLinear(20_000, (size) => {
      const text = `{"a":[${"[],".repeat(size)}`;
      return () => parseMessagesTruncatedObject(text);
    });
  });

  it("gives up arguments that nest deep in time that grows with their length", () => {
    expectLinear(20_000, (size) => {
      const text = `{"a":${"[".repeat(size)}`;
      return () => parseMessagesTruncatedObject(text);
    });
  });
});
