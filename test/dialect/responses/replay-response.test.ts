import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { asObject, type JsonObject } from "../../../src/dialect/json.ts";
import { encodeResponsesResponse } from "../../../src/dialect/responses/encode-response.ts";
import { serializeResponsesFinishedResponseFrames } from "../../../src/dialect/responses/replay-response.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { someEvents } from "../arbitrary-request.ts";
import { answerContext } from "./response-context.ts";
import { sealing } from "./neutral-events.ts";
import { accumulate, withoutHelpers } from "./official-client.ts";
import { vendorResponse } from "./vendor-stream.ts";

const framesOf = (response: JsonObject, after = -1): readonly string[] => [
  ...serializeResponsesFinishedResponseFrames(response, after),
];

describe("replayResponse()", () => {
  it("[background.replay] tells by the grammar, to the official client, what was kept, the same at every call", async () => {
    await fc.assert(
      fc.asyncProperty(someEvents(sealing), async ({ events }) => {
        const text = JSON.stringify(
          encodeResponsesResponse(neutralEventsToResponse(events), answerContext()),
        );
        const kept = asObject(JSON.parse(text)) ?? {};
        const stream = framesOf(kept).join("");
        expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
        const { response } = await accumulate(stream);
        expect(withoutHelpers(response)).toEqual(kept);
        expect(framesOf(kept).join("")).toBe(stream);
      }),
      { numRuns: 150 },
    );
  });

  it("writes a frame when it is asked for, and none before the one that it begins with", () => {
    const read: string[] = [];
    const item = Object.defineProperty({ type: "message", content: [] }, "text", {
      enumerable: true,
      get: () => read.push("item"),
    });
    const response = { ...vendorResponse({ status: "completed" }), output: [item] };
    const frames = framesOf(response);
    read.length = 0;
    const [first] = serializeResponsesFinishedResponseFrames(response, 0);
    expect(first).toBe(frames[1]);
    expect(read).toEqual([]);
    expect(framesOf(response, 1)).toEqual(frames.slice(2));
    expect(framesOf(response, 1000)).toEqual([]);
  });

  it.each(["failed", "cancelled", "incomplete", "completed"])(
    "ends one that is %s as its stream did",
    (status) => {
      const frames = framesOf(vendorResponse({ status }));
      const type = status === "cancelled" ? "incomplete" : status;
      expect(frames.at(-1)).toMatch(new RegExp(`^event: response.${type}\n`));
    },
  );
});
