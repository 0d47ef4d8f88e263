import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { asObject } from "../../../src/dialect/json.ts";
import { encodeResponse } from "../../../src/dialect/responses/encode-response.ts";
import { writeFinishedResponseFrames } from "../../../src/dialect/responses/replay-response.ts";
import { eventsToResponse } from "../../../src/dialect/neutral-response.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { someEvents } from "../arbitrary-request.ts";
import { answerContext } from "./response-context.ts";
import { sealing } from "./neutral-events.ts";
import { accumulate, withoutHelpers } from "./official-client.ts";
import { vendorResponse } from "./vendor-stream.ts";

describe("replayResponse()", () => {
  it("[background.replay] tells by the grammar, to the official client, what was kept, the same at every call", async () => {
    await fc.assert(
      fc.asyncProperty(someEvents(sealing), async ({ events }) => {
        const text = JSON.stringify(encodeResponse(eventsToResponse(events), answerContext()));
        const kept = asObject(JSON.parse(text)) ?? {};
        const stream = [...writeFinishedResponseFrames(kept)].join("");
        expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
        const { response } = await accumulate(stream);
        expect(withoutHelpers(response)).toEqual(kept);
        expect([...writeFinishedResponseFrames(kept)].join("")).toBe(stream);
      }),
      { numRuns: 150 },
    );
  });

  it.each(["failed", "cancelled", "incomplete", "completed"])(
    "ends one that is %s as its stream did",
    (status) => {
      const frames = [...writeFinishedResponseFrames(vendorResponse({ status }))];
      const type = status === "cancelled" ? "incomplete" : status;
      expect(frames.at(-1)).toMatch(new RegExp(`^event: response.${type}\n`));
    },
  );

  it("writes no event before it is asked for, and none up to the last that the caller has", () => {
    const written: string[] = [];
    const response = vendorResponse({ status: "completed" });
    const usage = { toJSON: () => written.push("whole response") };
    const whole = [...writeFinishedResponseFrames(response)];
    const [first] = writeFinishedResponseFrames({ ...response, usage });
    expect(first).toBe(whole[0]);
    for (let after = -1; after <= whole.length; after += 1)
      expect([...writeFinishedResponseFrames(response, after)]).toEqual(whole.slice(after + 1));
    const rest = [...writeFinishedResponseFrames({ ...response, usage }, whole.length)];
    expect([rest, written]).toEqual([[], []]);
  });
});
