import { describe, expect, it } from "vitest";
import { demoteSystems } from "../../src/dialect/chat/demote-systems.ts";
import { LossLedger } from "../../src/dialect/loss.ts";
import { pairToolResults } from "../../src/dialect/pair-tool-results.ts";
import { responsesCodec } from "../../src/dialect/responses/codec.ts";
import { encodeStream } from "../../src/dialect/responses/encode-stream.ts";
import type { TurnMessage } from "../../src/dialect/turn.ts";
import { answerContext, requestContext } from "../support/codec-contexts.ts";
import { callPart, emptyTurn, resultPart } from "../support/empty-turn.ts";
import { expectLinear } from "../support/growth.ts";

function count<Item>(size: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: size }, (_, index) => make(index));
}

describe("pairToolResults", () => {
  it("pairs many results of one call id in time that grows with their number", () => {
    expectLinear(6000, (size) => {
      const messages: TurnMessage[] = [
        { path: "m", role: "assistant", parts: count(size, () => callPart("a")) },
        { path: "m", role: "tool", parts: count(size, () => resultPart("a")) },
      ];
      return () => pairToolResults({ ...emptyTurn, messages });
    });
  });

  it("joins calls of many messages in time that grows with their number", () => {
    expectLinear(8000, (size) => {
      const messages: TurnMessage[] = [
        ...count(size, (index): TurnMessage => ({
          path: "m",
          role: "assistant",
          parts: [callPart(`${index}`)],
        })),
        { path: "m", role: "tool", parts: count(size, (index) => resultPart(`${index}`)) },
      ];
      return () => pairToolResults({ ...emptyTurn, messages });
    });
  });

  it("gives the results of one call id to its calls in their order", () => {
    const messages: TurnMessage[] = [
      { path: "m", role: "assistant", parts: [callPart("a"), callPart("a")] },
      { path: "m", role: "tool", parts: [resultPart("a", "one"), resultPart("a", "two")] },
    ];
    const [, results] = pairToolResults({ ...emptyTurn, messages }).messages;
    expect(results?.parts).toMatchObject([
      { content: [{ text: "one" }] },
      { content: [{ text: "two" }] },
    ]);
  });
});

describe("demoteSystems", () => {
  it("moves many system messages in time that grows with their number", () => {
    expectLinear(10_000, (size) => {
      const parts = [{ type: "text", path: "m", text: "a" }] as const;
      const messages = count(size, (): TurnMessage => ({ path: "m", role: "system", parts }));
      return () => demoteSystems(messages, new LossLedger());
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
      const encoder = encodeStream(answerContext());
      encoder.push({ type: "turn-start" });
      for (let index = 0; index < size; index++) {
        const part = { type: "tool-call", kind: "function", id: `${index}`, name: "f" } as const;
        encoder.push({ type: "part-start", index, part });
      }
    });
  });
});
