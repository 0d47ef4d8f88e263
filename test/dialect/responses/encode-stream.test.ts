import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { encodeResponsesResponse } from "../../../src/dialect/responses/encode-response.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import type { NeutralPartHead, NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { someEvents } from "../arbitrary-request.ts";
import { answerContext, answerId } from "./response-context.ts";
import {
  called,
  dataOf,
  end,
  partOf,
  reasoning,
  said,
  sealing,
  start,
  streamOf,
  thought,
  typesOf,
  usage,
} from "./neutral-events.ts";
import { accumulate, withoutHelpers } from "./official-client.ts";

describe("encodeStream()", () => {
  it("[stream.to-responses] tells a greeting in the order and with the numbers that clients rely on", async () => {
    const stream = streamOf([start, ...said(0, "Hel", "lo"), usage, end("end")]);
    expect(typesOf(stream)).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    expect(dataOf(stream).map(({ sequence_number }) => sequence_number)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    const { response } = await accumulate(stream);
    expect(response.output_text).toBe("Hello");
    expect(response.status).toBe("completed");
    expect(response.usage?.input_tokens).toBe(2007);
  });

  it("[stream.grammar] keeps the grammar and equals the whole answer for the official client, whatever the model said", async () => {
    await fc.assert(
      fc.asyncProperty(
        someEvents(sealing),
        fc.constantFrom("auto", undefined),
        fc.boolean(),
        async ({ events }, summary, wantsSeal) => {
          const context = reasoning({ summary, wantsEncrypted: wantsSeal });
          const stream = streamOf(events, context);
          expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
          const { response } = await accumulate(stream);
          const whole = encodeResponsesResponse(neutralEventsToResponse(events), context);
          expect(withoutHelpers(response)).toEqual(withoutHelpers(whole));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("[stream.item-ids] gives items the ids that the last event repeats, none of them a call's", () => {
    const stream = streamOf([
      start,
      ...thought(0, "hm"),
      ...said(1, "a"),
      ...called(2, "f", "{}"),
      ...called(3, "g", "{}"),
      end("tool-calls"),
    ]);
    const events = dataOf(stream);
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(done.map(({ item }) => item.id)).toEqual([
      `rs_${answerId}`,
      `msg_${answerId}`,
      `fc_${answerId}`,
      `fc_${answerId}_2`,
    ]);
    expect(events.at(-1).response.output).toEqual(done.map(({ item }) => item));
    expect(events.at(-1).response.id).toBe(`resp_${answerId}`);
  });

  it("[function.item-ids] never swaps the id of a call and of its item", () => {
    const stream = streamOf([start, ...called(0, "f", '{"a":1}'), end("tool-calls")]);
    const added = dataOf(stream).find(({ type }) => type === "response.output_item.added");
    expect(added.item).toMatchObject({ id: `fc_${answerId}`, call_id: "call_0", name: "f" });
    const deltas = dataOf(stream).filter(({ type }) => type.includes("function_call_arguments"));
    expect(deltas.map(({ item_id }) => item_id)).toEqual([`fc_${answerId}`, `fc_${answerId}`]);
  });

  it("[thought.item] announces a summary before its words and keeps one id for it", async () => {
    const stream = streamOf([
      start,
      ...thought(0, "first, ", "then"),
      ...said(1, "ok"),
      end("end"),
    ]);
    expect(typesOf(stream).slice(2, 9)).toEqual([
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
    ]);
    const { response } = await accumulate(stream);
    expect(response.output[0]).toMatchObject({
      type: "reasoning",
      summary: [{ type: "summary_text", text: "first, then" }],
    });
  });

  it("puts every readable part of the reasoning into a summary part of its own", () => {
    const stream = streamOf([
      start,
      { type: "part-start", index: 0, part: { type: "reasoning" } },
      { type: "part-delta", index: 0, delta: { type: "text", text: "one" } },
      { type: "part-delta", index: 0, delta: { type: "next-summary" } },
      { type: "part-delta", index: 0, delta: { type: "text", text: "two" } },
      { type: "part-end", index: 0 },
      end("end"),
    ]);
    const [item] = dataOf(stream).at(-1).response.output;
    expect(item.summary.map(({ text }: { text: string }) => text)).toEqual(["one", "two"]);
  });

  it.each([
    ["nothing", { summary: undefined, wantsEncrypted: false }, []],
    ["an item without words", { summary: undefined, wantsEncrypted: true }, [[]]],
    ["the words", { summary: "concise", wantsEncrypted: false }, [["hm"]]],
  ])("shows %s of the thinking to who asked for %j", (_what, control, summaries) => {
    const stream = streamOf(
      [start, ...thought(0, "hm"), ...said(1, "a"), end("end")],
      reasoning(control),
    );
    const items = dataOf(stream).at(-1).response.output;
    const thoughts = items.filter(({ type }: { type: string }) => type === "reasoning");
    expect(
      thoughts.map(({ summary }: { summary: { text: string }[] }) =>
        summary.map(({ text }) => text),
      ),
    ).toEqual(summaries);
  });

  it("[function.interleaved] keeps interleaved arguments of two calls apart", async () => {
    const call = (index: number): NeutralEvent => ({
      type: "part-start",
      index,
      part: { type: "tool-call", kind: "function", id: `call_${index}`, name: "f" },
    });
    const piece = (index: number, text: string): NeutralEvent => ({
      type: "part-delta",
      index,
      delta: { type: "arguments", text },
    });
    const stream = streamOf([
      start,
      call(0),
      call(1),
      piece(0, '{"a"'),
      piece(1, '{"b"'),
      piece(0, ":1}"),
      piece(1, ":2}"),
      { type: "part-end", index: 0 },
      { type: "part-end", index: 1 },
      end("tool-calls"),
    ]);
    expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
    const { response } = await accumulate(stream);
    const calls = response.output.filter((item) => item.type === "function_call");
    expect(calls.map((item) => item.arguments)).toEqual(['{"a":1}', '{"b":2}']);
  });

  it("lets a text go on beside calls that begin before it ends", async () => {
    const stream = streamOf([
      start,
      { type: "part-start", index: 0, part: { type: "text" } },
      { type: "part-delta", index: 0, delta: { type: "text", text: "a" } },
      ...called(1, "f", "{}"),
      { type: "part-delta", index: 0, delta: { type: "text", text: "b" } },
      { type: "part-end", index: 0 },
      end("tool-calls"),
    ]);
    expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
    expect((await accumulate(stream)).response.output_text).toBe("ab");
  });

  it("tells the words of a custom tool as its input", () => {
    const part: NeutralPartHead = {
      type: "tool-call",
      kind: "custom",
      id: "call_x",
      name: "apply_patch",
    };
    const stream = streamOf([start, ...partOf(0, part, ["*** ", "Begin"]), end("tool-calls")]);
    expect(typesOf(stream).slice(2, -1)).toEqual([
      "output_item.added",
      "custom_tool_call_input.delta",
      "custom_tool_call_input.delta",
      "custom_tool_call_input.done",
      "output_item.done",
    ]);
    expect(dataOf(stream).at(-1).response.output[0]).toMatchObject({
      type: "custom_tool_call",
      id: `ctc_${answerId}`,
      call_id: "call_x",
      input: "*** Begin",
    });
  });

  it("[function.namespace] gives a call its namespace back", () => {
    const part: NeutralPartHead = {
      type: "tool-call",
      kind: "function",
      id: "c",
      name: "read",
      namespace: "fs",
    };
    const stream = streamOf([start, ...partOf(0, part, ["{}"]), end("tool-calls")]);
    const [item] = dataOf(stream).at(-1).response.output;
    expect(item).toMatchObject({ name: "read", namespace: "fs" });
  });

  it("gives probabilities the members that this dialect demands", () => {
    const entry = {
      token: "é",
      logprob: -0.5,
      bytes: null,
      top_logprobs: [{ token: "e", logprob: -1 }],
    };
    const stream = streamOf([
      start,
      { type: "part-start", index: 0, part: { type: "text" } },
      { type: "part-delta", index: 0, delta: { type: "text", text: "é", logprobs: [entry] } },
      { type: "part-end", index: 0 },
      end("end"),
    ]);
    const told = [
      {
        token: "é",
        bytes: [0xc3, 0xa9],
        logprob: -0.5,
        top_logprobs: [{ token: "e", bytes: [0x65], logprob: -1 }],
      },
    ];
    const delta = dataOf(stream).find(({ type }) => type === "response.output_text.delta");
    expect(delta.logprobs).toEqual(told);
    expect(dataOf(stream).at(-1).response.output[0].content[0].logprobs).toEqual(told);
  });

  it("takes deltas without words as the whole answer does", async () => {
    const empty = (index: number, logprobs: readonly unknown[] = []): NeutralEvent => ({
      type: "part-delta",
      index,
      delta: { type: "text", text: "", logprobs },
    });
    const events: readonly NeutralEvent[] = [
      start,
      { type: "part-start", index: 0, part: { type: "reasoning" } },
      empty(0),
      { type: "part-end", index: 0 },
      { type: "part-start", index: 1, part: { type: "text" } },
      empty(1),
      empty(1, [{ token: "<end>", logprob: 0 }]),
      { type: "part-end", index: 1 },
      end("end"),
    ];
    const stream = streamOf(events);
    expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
    expect(typesOf(stream).filter((type) => type.endsWith(".delta"))).toEqual([
      "output_text.delta",
    ]);
    const { response } = await accumulate(stream);
    const whole = encodeResponsesResponse(neutralEventsToResponse(events), answerContext());
    expect(withoutHelpers(response)).toEqual(withoutHelpers(whole));
  });

  it("cites an address for the whole text where its place is not known", async () => {
    const citation = { url: "https://a.example/", title: "A", citedText: undefined };
    const stream = streamOf([
      start,
      { type: "part-start", index: 0, part: { type: "text" } },
      {
        type: "part-delta",
        index: 0,
        delta: { type: "citation", citation: { ...citation, start: undefined, end: undefined } },
      },
      { type: "part-delta", index: 0, delta: { type: "text", text: "four" } },
      { type: "part-end", index: 0 },
      end("end"),
    ]);
    expect(typesOf(stream)).toContain("output_text.annotation.added");
    const { response } = await accumulate(stream);
    expect(withoutHelpers(response.output)).toMatchObject([
      { content: [{ annotations: [{ type: "url_citation", start_index: 0, end_index: 4 }] }] },
    ]);
  });
});
