import { describe, it } from "vitest";
import { chatCodec } from "../../src/dialect/chat/codec.ts";
import { createStopSequenceCutter } from "../../src/dialect/cut-at-stop.ts";
import { CustomToolInputReader } from "../../src/dialect/custom-tool.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import { messagesCodec } from "../../src/dialect/messages/codec.ts";
import type { NeutralEvent } from "../../src/dialect/neutral-event.ts";
import { replaceInvalidToolArguments } from "../../src/dialect/responses/model-items.ts";
import { responsesCodec } from "../../src/dialect/responses/codec.ts";
import { stopSequenceScannerLimits } from "../../src/dialect/stop-scanner.ts";
import { createThreadItemFinder } from "../../src/gateway/agent/thread-item-finder.ts";
import { requestContext, targetContext } from "../support/codec-contexts.ts";
import { each } from "../support/dialect-growth.ts";
import { expectLinear } from "../support/growth.ts";

/** Each event here comes when much was read before it, and must cost its own length only. */
function repeated<Item>(size: number, item: Item): Item[] {
  return Array.from({ length: size }, () => item);
}

function textDelta(text: string, logprobs: readonly unknown[] = []): NeutralEvent {
  return { type: "part-delta", index: 0, delta: { type: "text", text, logprobs } };
}

function stopAt(sequences: readonly string[], deltas: readonly NeutralEvent[]): void {
  const machine = createStopSequenceCutter(sequences);
  const state = machine.start();
  machine.step(state, [{ type: "part-start", index: 0, part: { type: "text" } }]);
  for (const delta of deltas) machine.step(state, [delta]);
}

describe("the messages stream decoder", () => {
  it("reads repeated pauses of an answer in time that grows with their number", () => {
    expectLinear(300, (size) => {
      const input = JSON.stringify({ query: "a".repeat(300 * size) });
      const block = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
      const pause = { type: "message_delta", delta: { stop_reason: "pause_turn" } };
      const delta = { type: "input_json_delta", partial_json: input };
      const events: JsonObject[] = [
        { type: "content_block_start", index: 0, content_block: block },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        ...each(size, () => pause),
        { type: "message_stop" },
      ];
      return () => {
        const decoder = messagesCodec.decodeStream({ stop: [] });
        for (const event of events) decoder.push({ name: undefined, data: JSON.stringify(event) });
      };
    });
  });
});

describe("the search for stop sequences", () => {
  it("takes time that grows with the text, however many sequences there are", () => {
    expectLinear(stopSequenceScannerLimits.sequences / 4, (size) => {
      const sequences = Array.from({ length: size }, (_, index) => `a${index}b`);
      const delta = textDelta("a".repeat(150_000 * size));
      return () => stopAt(sequences, [delta]);
    });
  });

  it("takes time that grows with the deltas, however many tokens wait to be sent", () => {
    expectLinear(8000, (size) => {
      const tokens = repeated(4 * size, { token: "a" });
      const deltas = [textDelta("a", tokens), ...repeated(size, textDelta("a"))];
      return () => stopAt(["\n"], deltas);
    });
  });
});

describe("configuration updates", () => {
  it("are applied in time that grows with their number and the members of the body", () => {
    expectLinear(2000, (size) => {
      const names = Array.from({ length: size }, (_, index) => [`m${index}`, 1]);
      const settings = Object.fromEntries(names) as JsonObject;
      const update = { type: "configuration_update", text: { verbosity: "low" } };
      const question = { role: "user", content: "a" };
      const input = [...repeated<JsonObject>(size, update), question];
      const body = { ...settings, model: "m", store: false, text: settings, input };
      return () => responsesCodec.decodeRequest(body, requestContext());
    });
  });
});

describe("the reader of wrapped input", () => {
  it.each([
    ["a broken escape", "\\uZZZZ"],
    ["half of a pair and a broken escape", "\\ud83d\\uZZZZ"],
  ])("takes time that grows with the pieces behind %s", (_what, broken) => {
    expectLinear(800, (size) => {
      const first = `{"input":"${broken}${"x".repeat(4000 * size)}`;
      return () => {
        const reader = new CustomToolInputReader();
        reader.read(first);
        for (let index = 0; index < size; index++) reader.read("y");
        reader.end();
      };
    });
  });
});

describe("calls with unreadable arguments", () => {
  it("are written in time that grows with their number", () => {
    expectLinear(4000, (size) => {
      const called = { type: "function_call", name: "f", arguments: "null" };
      const items = [
        ...each(size, (index) => ({ ...called, call_id: `i${index}` })),
        ...each(size, (index) => ({
          type: "function_call_output",
          call_id: `i${size - index}`,
          output: "a",
        })),
        ...each(size, () => ({ ...called, call_id: "same" })),
        ...each(size, () => ({ type: "function_call_output", call_id: "same", output: "a" })),
      ];
      return () => replaceInvalidToolArguments(items);
    });
  });
});

describe("references to items of a thread", () => {
  it("are resolved in time that grows with their number", () => {
    expectLinear(10_000, (size) => {
      const items = each(size, (index) => ({ type: "message", id: `i${index}` }));
      const conversation = { items, lastTurn: undefined, lastEngine: undefined };
      return () => {
        const find = createThreadItemFinder({ conversation } as never);
        for (let index = 0; index < size; index++) find(`i${size - index}`);
      };
    });
  });
});

describe("members that only some dialects know", () => {
  const names = (size: number) =>
    Object.fromEntries(Array.from({ length: size }, (_, index) => [`m${index}`, 1]));

  it.each([
    [chatCodec, "stream_options", { messages: [{ role: "user", content: "a" }] }],
    [responsesCodec, "reasoning", { input: "a", store: false }],
  ])("are written in time that grows with their number", (codec, outer, more) => {
    expectLinear(2000, (size) => {
      const body = { model: "m", ...more, [outer]: names(size) };
      const request = codec.decodeRequest(body, requestContext());
      return () => codec.encodeRequest(request, targetContext());
    });
  });
});

describe("cache breakpoints", () => {
  it("are chosen in time that grows with their number", () => {
    expectLinear(20_000, (size) => {
      const text = { type: "text", text: "a", cache_control: { type: "ephemeral" } };
      const messages = [{ role: "user", content: each(size, () => ({ ...text })) }];
      const body = { model: "m", max_tokens: 1, messages };
      const request = messagesCodec.decodeRequest(body, requestContext());
      return () => chatCodec.encodeRequest(request, targetContext({ promptCache: true }));
    });
  });
});
