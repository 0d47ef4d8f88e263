import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkChatStream } from "../../../src/conformance/grammar/chat.ts";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { someEvents } from "../arbitrary-request.ts";
import { answerContext, readText, writeAll } from "./contexts.ts";
import { accumulate } from "./official-client.ts";

const anyOrder = {
  kinds: ["function", "custom"],
  hasCitations: true,
  seals: [
    { dialect: "dialect_chat", kind: "plain" },
    { dialect: "dialect_messages", kind: "thinking", signature: "s" },
  ],
} as const;
const choices = { isChatOrder: true, kinds: ["function", "custom"], hasCitations: true } as const;

describe("property: a caller's stream", () => {
  it("adds up, in the official client, to the whole answer", async () => {
    await fc.assert(
      fc.asyncProperty(someEvents(choices), async ({ events }) => {
        const turn = { wantsStreamUsage: true };
        const whole = chatCodec.encodeResponse(
          neutralEventsToResponse(events),
          answerContext(turn),
        );
        const added = await accumulate(writeAll(events, turn));
        expect(comparable(added)).toEqual(comparable(whole));
      }),
      { numRuns: 60 },
    );
  });

  it("keeps the grammar and adds up, in whatever order the parts came", async () => {
    await fc.assert(
      fc.asyncProperty(someEvents(anyOrder), fc.boolean(), async ({ events }, wantsStreamUsage) => {
        const stream = writeAll(events, { wantsStreamUsage });
        expect(checkChatStream(parseEventStreamText(stream))).toEqual([]);
        const whole = chatCodec.encodeResponse(neutralEventsToResponse(events), answerContext());
        const { usage, ...added } = comparable(await accumulate(stream)) as JsonObject;
        const { usage: _told, ...expected } = comparable(whole) as JsonObject;
        expect(added).toEqual(expected);
        expect(usage !== undefined).toBe(wantsStreamUsage);
      }),
      { numRuns: 60 },
    );
  });

  it("is read back as what was written", () => {
    fc.assert(
      fc.property(
        someEvents({ isChatOrder: true, kinds: ["function", "custom"] }),
        ({ events }) => {
          const read = neutralEventsToResponse(
            readText(writeAll(events, { wantsStreamUsage: true })),
          );
          expect(read.parts.filter(isSaid)).toEqual(
            neutralEventsToResponse(events).parts.filter(isSaid),
          );
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
      ["reasoning_content", "object", "parsed", "parsed_arguments"].includes(name)
        ? undefined
        : member,
    ),
  );
}
