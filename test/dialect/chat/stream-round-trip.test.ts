import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import { foldEvents } from "../../../src/dialect/turn-answer.ts";
import { someEvents } from "../arbitrary-turn.ts";
import { answerContext, readText, writeAll } from "./contexts.ts";
import { accumulate } from "./official-client.ts";

const choices = { isChatOrder: true, kinds: ["function", "custom"], hasCitations: true } as const;

describe("property: a caller's stream", () => {
  it("adds up, in the official client, to the whole answer", async () => {
    await fc.assert(
      fc.asyncProperty(someEvents(choices), async ({ events }) => {
        const turn = { wantsStreamUsage: true };
        const whole = chatCodec.encodeAnswer(foldEvents(events), answerContext(turn));
        const added = await accumulate(writeAll(events, turn));
        expect(comparable(added)).toEqual(comparable(whole));
      }),
      { numRuns: 60 },
    );
  });

  it("is read back as what was written", () => {
    fc.assert(
      fc.property(
        someEvents({ isChatOrder: true, kinds: ["function", "custom"] }),
        ({ events }) => {
          const read = foldEvents(readText(writeAll(events, { wantsStreamUsage: true })));
          expect(read.parts.filter(isSaid)).toEqual(foldEvents(events).parts.filter(isSaid));
        },
      ),
    );
  });
});

function isSaid({ type }: { type: string }): boolean {
  return type !== "reasoning";
}

/** The client keeps only the last piece of what it does not know, and adds fields of its own. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      ["reasoning_content", "reasoning_details", "object", "parsed", "parsed_arguments"].includes(
        name,
      )
        ? undefined
        : member,
    ),
  );
}
