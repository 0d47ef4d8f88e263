import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnswerContext } from "../../../src/dialect/codec.ts";
import { encodeAnswer } from "../../../src/dialect/responses/encode-answer.ts";
import { encodeStream } from "../../../src/dialect/responses/encode-stream.ts";
import { foldEvents } from "../../../src/dialect/turn-answer.ts";
import type { TurnEvent } from "../../../src/dialect/turn-event.ts";
import { someEvents } from "../arbitrary-turn.ts";
import { answerContext } from "./answer-context.ts";
import { accumulate, withoutHelpers } from "./official-client.ts";

function streamOf(events: readonly TurnEvent[], context: AnswerContext): string {
  const encoder = encodeStream(context);
  return events.map((event) => encoder.push(event)).join("");
}

describe("encodeStream()", () => {
  it("gives the official client what the whole answer says, whatever the model said", async () => {
    const choices = {
      kinds: ["function", "custom"],
      hasCitations: true,
      seals: [{ dialect: "dialect_messages", kind: "thinking", signature: "sig" }],
    } as const;
    await fc.assert(
      fc.asyncProperty(someEvents(choices), async ({ events }) => {
        const context = answerContext();
        const { response } = await accumulate(streamOf(events, context));
        const whole = encodeAnswer(foldEvents(events), context);
        expect(withoutHelpers(response)).toEqual(withoutHelpers(whole));
      }),
      { numRuns: 300 },
    );
  });
});
