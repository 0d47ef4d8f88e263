import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import { asArrayOrEmpty, asObject, type JsonObject } from "../../../src/dialect/json.ts";
import { decodeResponsesResponse } from "../../../src/dialect/responses/decode-response.ts";
import { createResponsesStreamDecoder } from "../../../src/dialect/responses/decode-stream.ts";
import { encodeResponsesResponse } from "../../../src/dialect/responses/encode-response.ts";
import { createResponsesStreamEncoder } from "../../../src/dialect/responses/encode-stream.ts";
import { emptyToolNameRestoreInfo } from "../../../src/dialect/restore-info.ts";
import { createToolCallRestorer } from "../../../src/dialect/restore-tool-calls.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { answerContext, answerId } from "./response-context.ts";
import { transcode } from "./transcoding.ts";
import { vendorEvents, vendorResponse } from "./vendor-stream.ts";
import { everything } from "./whole-request.ts";

/** A value with one of its inner values, found by a walk, replaced. */
function damaged(value: unknown, walk: readonly number[], by: unknown): unknown {
  const [step, ...rest] = walk;
  if (step === undefined) return by;
  if (Array.isArray(value) && value.length > 0) {
    const place = step % value.length;
    return asArrayOrEmpty(value).map((item, index) =>
      index === place ? damaged(item, rest, by) : item,
    );
  }
  const names = Object.keys(asObject(value) ?? {});
  const name = names[step % names.length];
  if (name === undefined) return by;
  const object = asObject(value) ?? {};
  return { ...object, [name]: damaged(object[name], rest, by) };
}

const somewhere = fc.array(fc.nat(30), { minLength: 1, maxLength: 5 });
const something = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, 0, -1, 1.5, "", "x", [], {}, [null], [[]]),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The error that this throws, if any. */
function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("hostile input", () => {
  it.each(["dialect_chat", "dialect_messages", "dialect_responses"] as const)(
    "is refused with a place or sent to %s, whatever stands in a body",
    (to) => {
      fc.assert(
        fc.property(somewhere, something, (walk, by) => {
          const body = asObject(damaged(everything, walk, by)) ?? {};
          const error = thrownBy(() => transcode("dialect_responses", to, body));
          if (error === undefined) return;
          expect(error).toBeInstanceOf(ApiError);
          expect(error).toMatchObject({ status: 400, param: expect.any(String) });
        }),
        { numRuns: 400 },
      );
    },
  );

  it("is a malformed answer or an answer, whatever stands in a whole response", () => {
    fc.assert(
      fc.property(somewhere, something, (walk, by) => {
        const body = asObject(damaged(vendorResponse(), walk, by)) ?? {};
        const error = thrownBy(() =>
          encodeResponsesResponse(decodeResponsesResponse(body), answerContext()),
        );
        expect(error ?? new MalformedResponseError()).toBeInstanceOf(MalformedResponseError);
      }),
      { numRuns: 400 },
    );
  });

  it("is a malformed answer or a stream in the grammar, whatever stands in an event", () => {
    fc.assert(
      fc.property(fc.nat(vendorEvents.length - 1), somewhere, something, (place, walk, by) => {
        const events = vendorEvents.map((event, index) =>
          index === place ? (asObject(damaged(event, walk, by)) ?? {}) : event,
        );
        const error = thrownBy(() => relay(events));
        expect(error ?? new MalformedResponseError()).toBeInstanceOf(MalformedResponseError);
      }),
      { numRuns: 400 },
    );
  });
});

/** Reads events and writes what they tell, as a call does; the result keeps the grammar if it ends. */
function relay(events: readonly JsonObject[]): void {
  const decoder = createResponsesStreamDecoder();
  const restorer = createToolCallRestorer(emptyToolNameRestoreInfo, answerId);
  const state = restorer.start();
  const encoder = createResponsesStreamEncoder(answerContext());
  const frames = events.flatMap((event) =>
    decoder
      .push({ name: undefined, data: JSON.stringify(event) })
      .flatMap((told) => [...restorer.step(state, told)])
      .map((told) => encoder.push(told)),
  );
  const faults = checkResponsesStream(parseEventStreamText(frames.join("")));
  expect(faults.filter(({ rule }) => rule !== "terminal")).toEqual([]);
}
