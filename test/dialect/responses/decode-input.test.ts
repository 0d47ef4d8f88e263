import { describe, expect, it } from "vitest";
import type { StoredConversationItems } from "../../../src/dialect/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { placeToolResultsAfterCalls } from "../../../src/dialect/pair-tool-results.ts";
import { decodeResponsesRequest } from "../../../src/dialect/responses/decode-request.ts";
import { openEnvelope, requestContext } from "./response-context.ts";
import {
  call,
  decode,
  decodeWithLosses,
  itemsOf,
  output,
  partsOf,
  refusalOf,
  user,
} from "./decoding.ts";

describe("input items", () => {
  it("reads the type of data in any case", () => {
    const [part] = partsOf({ type: "input_image", image_url: "DATA:Image/PNG;BASE64,AAAA" });
    expect(part).toMatchObject({ source: { mediaType: "image/png", base64: "AAAA" } });
  });

  it("refuses an image of data with millions of parameters", () => {
    const image_url = `data:${";".repeat(20_000_000)}base64,AAAA`;
    const image = { type: "input_image", image_url };
    expect(refusalOf(() => partsOf(image))).toBe("input[0].content[0].image_url");
  });

  it("reads images by data, address and id", () => {
    const parts = partsOf(
      { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "low" },
      { type: "input_image", image_url: "https://a.example/b.png" },
      { type: "input_image", file_id: "file_1" },
    );
    expect(parts).toMatchObject([
      {
        type: "image",
        source: { kind: "data", mediaType: "image/png", base64: "AAAA" },
        detail: "low",
        sourcePath: "input[0].content[0].image_url",
      },
      { source: { kind: "url", url: "https://a.example/b.png" } },
      { source: { kind: "file", id: "file_1" }, sourcePath: "input[0].content[2].file_id" },
    ]);
  });

  it("[request.files] reads files by data, address and id", () => {
    const parts = partsOf(
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
      { type: "input_file", filename: "b.TXT", file_data: "BBBB" },
      { type: "input_file", file_data: "CCCC" },
      { type: "input_file", file_url: "https://a.example/c.pdf" },
      { type: "input_file", file_id: "file_1" },
    );
    expect(parts).toMatchObject([
      { type: "file", name: "a.pdf", source: { mediaType: "application/pdf", base64: "AAAA" } },
      { name: "b.TXT", source: { kind: "data", mediaType: "text/plain", base64: "BBBB" } },
      { source: { kind: "data", mediaType: "application/pdf", base64: "CCCC" } },
      { source: { kind: "url", url: "https://a.example/c.pdf" } },
      { source: { kind: "file", id: "file_1" } },
    ]);
  });

  it("keeps parts and items that only the vendor knows, to be refused by their type", () => {
    const [part] = partsOf({ type: "input_audio", input_audio: {} });
    expect(part).toMatchObject({
      type: "opaque",
      name: "input_audio",
      path: "input[0].content[0].type",
    });
    const turn = itemsOf(user, { type: "web_search_call", id: "ws_1" });
    expect(turn.messages[1]?.parts).toMatchObject([
      {
        type: "opaque",
        dialect: "dialect_responses",
        name: "web_search_call",
        path: "input[1].type",
      },
    ]);
  });

  it("takes system and developer items that open the conversation for system text, later ones in place", () => {
    const turn = decode({
      instructions: "A",
      input: [
        { role: "developer", content: "B" },
        { type: "message", role: "system", content: [{ type: "input_text", text: "C" }] },
        user,
        { role: "developer", content: "D" },
      ],
    });
    expect(turn.system.map(({ text, path }) => [text, path])).toEqual([
      ["A", "instructions"],
      ["B", "input[0].content"],
      ["C", "input[1].content[0]"],
    ]);
    expect(turn.messages.map(({ role }) => role)).toEqual(["user", "system"]);
  });

  it("joins what one answer said: thoughts, text and calls, and the outputs behind them", () => {
    const turn = itemsOf(
      user,
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] },
      {
        type: "message",
        role: "assistant",
        phase: "commentary",
        content: [{ type: "output_text", text: "Looking.", annotations: [] }],
      },
      call,
      { ...call, call_id: "c2" },
      output,
      { ...output, call_id: "c2" },
      { role: "assistant", content: "Done." },
      { role: "assistant", content: "Really." },
    );
    expect(turn.messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["reasoning", "text", "tool-call", "tool-call"]],
      ["tool", ["tool-result", "tool-result"]],
      ["assistant", ["text"]],
      ["assistant", ["text"]],
    ]);
  });

  it("[request.unknown-fields] warns of members that nobody reads, and of nothing else", () => {
    const { losses } = decodeWithLosses({
      input: [
        { ...user, id: "msg_0", status: null, sparkle: 1 },
        { ...call, id: "fc_1", status: "completed", async: true, caller: { type: "direct" } },
        { ...output, name: "f", id: null, caller: { type: "program", caller_id: "p" } },
        {
          role: "user",
          content: [
            { type: "input_text", text: "a", glitter: {} },
            { type: "input_file", file_id: "file_1", detail: "high" },
            { type: "input_file", file_id: "file_2", detail: "auto" },
          ],
        },
        { type: "web_search_call", id: "ws", anything: 1 },
      ],
    });
    expect(losses.map(({ path, reason }) => [path, reason])).toEqual([
      ["input[0].sparkle", "unknown"],
      ["input[1].async", "unsupported"],
      ["input[2].caller", "unsupported"],
      ["input[3].content[0].glitter", "unknown"],
      ["input[3].content[1].detail", "unsupported"],
    ]);
  });

  it("names an answer by the place of its message, and keeps its phase behind thoughts", () => {
    const turn = itemsOf(
      user,
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] },
      { role: "assistant", phase: "final_answer", content: "Done." },
    );
    expect(turn.messages[1]).toMatchObject({ path: "input[2]", phase: "final_answer" });
  });

  it("lets an answer go on beside a call that waits for its output", () => {
    const turn = itemsOf(
      user,
      { role: "assistant", content: "Looking." },
      call,
      { role: "assistant", content: "Still." },
      output,
    );
    expect(turn.messages.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["assistant", 3],
      ["tool", 1],
    ]);
  });

  it("takes what the vendor's tools need back for the caller's, their calls for the model's", () => {
    const turn = itemsOf(
      user,
      { type: "shell_call", call_id: "s", action: {} },
      { type: "shell_call_output", call_id: "s", output: [] },
    );
    expect(turn.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("[request.agent-history] reads the history of a coding agent, whose items do not stand in the order of chat", () => {
    const turn = placeToolResultsAfterCalls(
      decode({
        input: [
          user,
          { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "foreign" },
          call,
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "And:" }] },
          { type: "custom_tool_call", call_id: "c2", name: "apply_patch", input: "*** Begin" },
          { type: "custom_tool_call_output", call_id: "c2", output: "Done!" },
          output,
          user,
        ],
      }),
    );
    expect(turn.messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["tool-call", "text", "tool-call"]],
      ["tool", ["tool-result", "tool-result"]],
      ["user", ["text"]],
    ]);
    const results = turn.messages[2]?.parts;
    expect(results).toMatchObject([
      { callId: "c1", kind: "function" },
      { callId: "c2", kind: "custom" },
    ]);
  });

  it("[function.pairs] refuses a call without its output, by its place", () => {
    expect(refusalOf(() => placeToolResultsAfterCalls(itemsOf(user, call, user)))).toBe("input[1]");
    expect(refusalOf(() => placeToolResultsAfterCalls(itemsOf(user, output)))).toBe("input[1]");
  });

  it("[request.images] keeps an image inside the output of a call", () => {
    const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
    const turn = itemsOf(user, call, {
      ...output,
      output: [{ type: "input_text", text: "see" }, picture],
    });
    expect(turn.messages[2]?.parts[0]).toMatchObject({
      content: [
        { type: "text", text: "see" },
        { type: "image", source: { kind: "data", mediaType: "image/png", base64: "AAAA" } },
      ],
    });
  });

  it("[thought.sealed] opens an envelope of ours, and takes its words for the caller's", () => {
    const seal = { dialect: "dialect_messages", kind: "thinking", signature: "sig" } as const;
    const encrypted_content = openEnvelope.seal(seal, ["signed words"]);
    const item = { type: "reasoning", id: "rs_1", summary: [{ text: "cut" }], encrypted_content };
    const { turn, losses } = decodeWithLosses({ input: [user, item, call, output] });
    expect(turn.messages[1]?.parts[0]).toEqual({
      type: "reasoning",
      path: "input[1]",
      texts: ["signed words"],
      encrypted: seal,
    });
    expect(losses).toEqual([]);
  });

  it("[thought.tampered] drops what it cannot open, with a warning, and keeps the words", () => {
    const item = {
      type: "reasoning",
      id: "rs_1",
      summary: [{ text: "hm" }],
      encrypted_content: "tampered",
    };
    const { turn, losses } = decodeWithLosses({ input: [user, item, call, output] });
    expect(turn.messages[1]?.parts[0]).toEqual({
      type: "reasoning",
      path: "input[1]",
      texts: ["hm"],
    });
    expect(losses).toEqual([
      { path: "input[1].encrypted_content", action: "dropped", reason: "foreign" },
    ]);
  });
});

describe("kept turns", () => {
  const previous: readonly JsonObject[] = [
    { role: "user", content: "look it up" },
    { ...call, id: "fc_1", status: "completed" },
  ];
  const kept: StoredConversationItems = {
    previous,
    find: (id) => previous.find((item) => item["id"] === id),
  };

  it("[request.previous] puts the history before an input that is an output alone", () => {
    const turn = placeToolResultsAfterCalls(
      decode({ previous_response_id: "resp_1", input: [output] }, kept),
    );
    expect(turn.messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["tool-call"]],
      ["tool", ["tool-result"]],
    ]);
  });

  it("[request.history] names the field that brought the history in when something is wrong in it", () => {
    const turn = decode({ previous_response_id: "resp_1", input: "and?" }, kept);
    expect(turn.messages.map(({ path }) => path)).toEqual([
      "previous_response_id",
      "previous_response_id",
      "input",
    ]);
    expect(refusalOf(() => placeToolResultsAfterCalls(turn))).toBe("previous_response_id");
  });

  it("[thought.other-vendor] drops kept thoughts of another upstream, and names the field that brought them in", () => {
    const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "foreign" };
    const context = requestContext({ ...kept, previous: [...previous, thought] });
    decodeResponsesRequest(
      { model: "m", previous_response_id: "resp_1", input: [output] },
      context,
    );
    expect(context.warnings.warnings).toEqual([
      { path: "previous_response_id", action: "dropped", reason: "foreign" },
    ]);
  });

  it("[request.history] puts a kept item where it is referred to, with its type or without", () => {
    for (const type of ["item_reference", null, undefined]) {
      const turn = placeToolResultsAfterCalls(
        decode({ input: [user, { type, id: "fc_1" }, output] }, kept),
      );
      expect(turn.messages[1]?.parts).toMatchObject([
        { type: "tool-call", id: "c1", path: "input[1]" },
      ]);
    }
  });

  it("does not carry the instructions of an earlier turn over", () => {
    const turn = decode(
      { previous_response_id: "resp_1", input: [output], instructions: "new" },
      kept,
    );
    expect(turn.system.map(({ text }) => text)).toEqual(["new"]);
  });
});
