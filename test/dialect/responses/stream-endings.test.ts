import fc from "fast-check";
import { APIError } from "openai";
import { describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { encodeResponsesResponse } from "../../../src/dialect/responses/encode-response.ts";
import { createResponsesStreamEncoder } from "../../../src/dialect/responses/encode-stream.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { someEvents } from "../arbitrary-request.ts";
import { answerContext, interruptedContext } from "./response-context.ts";
import {
  called,
  dataOf,
  end,
  partOf,
  said,
  sealing,
  start,
  streamOf,
  typesOf,
  usage,
} from "./neutral-events.ts";
import { accumulate, iterate, withoutHelpers } from "./official-client.ts";

describe("the end of a stream", () => {
  it("[stream.grammar] keeps the grammar wherever it fails, and the official client throws", async () => {
    await fc.assert(
      fc.asyncProperty(someEvents(sealing), fc.nat(40), async ({ events }, cut) => {
        const encoder = createResponsesStreamEncoder(answerContext());
        const told = events.filter(({ type }) => type !== "response-end").slice(0, cut + 1);
        const stream =
          told.map((event) => encoder.push(event)).join("") + encoder.fail(interruptedContext);
        expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
        await expect(accumulate(stream)).rejects.toThrow(APIError);
      }),
      { numRuns: 100 },
    );
  });

  it("[ending.length] says that an answer was cut, with all of it", async () => {
    const stream = streamOf([
      start,
      ...said(0, "so "),
      ...called(1, "f", '{"a'),
      usage,
      end("length"),
    ]);
    expect(typesOf(stream).at(-1)).toBe("incomplete");
    const { response } = await accumulate(stream);
    expect(response.status).toBe("incomplete");
    expect(response.incomplete_details).toEqual({ reason: "max_output_tokens" });
    expect(response.output.map((item) => ("status" in item ? item.status : ""))).toEqual([
      "completed",
      "incomplete",
    ]);
  });

  it("tells why a vendor refused, where it said so beside the answer", async () => {
    const events = [start, ...said(0, "I "), end("refusal", "Not this.")];
    const stream = streamOf(events);
    expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
    const { response } = await accumulate(stream);
    expect(response.incomplete_details).toEqual({ reason: "content_filter" });
    expect(withoutHelpers(response.output)).toMatchObject([
      { content: [{ type: "output_text" }, { type: "refusal", refusal: "Not this." }] },
    ]);
    expect(withoutHelpers(response)).toEqual(
      encodeResponsesResponse(neutralEventsToResponse(events), answerContext()),
    );
  });

  it("does not say twice why a vendor refused", () => {
    const events = [start, ...partOf(0, { type: "refusal" }, ["No."]), end("refusal", "Because.")];
    const stream = streamOf(events);
    const whole = encodeResponsesResponse(neutralEventsToResponse(events), answerContext());
    expect(whole["output"]).toMatchObject([{ content: [{ refusal: "No." }] }]);
    expect(dataOf(stream).at(-1).response.output).toEqual(whole["output"]);
    expect(JSON.stringify(whole)).not.toContain("Because.");
  });

  it("tells a refusal in the events of its own", () => {
    const stream = streamOf([
      start,
      ...partOf(0, { type: "refusal" }, ["No", "."]),
      end("refusal"),
    ]);
    expect(typesOf(stream).slice(3, 8)).toEqual([
      "content_part.added",
      "refusal.delta",
      "refusal.delta",
      "refusal.done",
      "content_part.done",
    ]);
  });

  it("[ending.items-closed] closes what is open as incomplete, says that it failed, then throws", async () => {
    const encoder = createResponsesStreamEncoder(answerContext());
    const events = [start, ...said(0, "done"), ...called(1, "f", '{"a').slice(0, 2)];
    const stream =
      events.map((event) => encoder.push(event)).join("") + encoder.fail(interruptedContext);
    expect(typesOf(stream).slice(-4)).toEqual([
      "function_call_arguments.done",
      "output_item.done",
      "failed",
      "error",
    ]);
    const [failed, error] = dataOf(stream).slice(-2);
    expect(failed.response.error).toEqual({
      code: "server_error",
      message: interruptedContext.message,
    });
    expect(failed.response.output.map(({ status }: { status: string }) => status)).toEqual([
      "completed",
      "incomplete",
    ]);
    expect(error).toMatchObject({
      type: "error",
      code: "upstream_incomplete",
      sequence_number: failed.sequence_number + 1,
    });
    await expect(accumulate(stream)).rejects.toThrow(interruptedContext.message);
    expect(encoder.push(end("end"))).toBe("");
    expect(encoder.fail(interruptedContext)).toBe("");
  });

  it("tells a failure before any item in the error event alone", async () => {
    const encoder = createResponsesStreamEncoder(answerContext());
    const stream = encoder.push(start) + encoder.fail(interruptedContext);
    expect(typesOf(stream)).toEqual(["created", "in_progress", "error"]);
    await expect(iterate(stream)).rejects.toThrow(interruptedContext.message);
    expect(typesOf(createResponsesStreamEncoder(answerContext()).fail(interruptedContext))).toEqual(
      ["error"],
    );
  });
});
