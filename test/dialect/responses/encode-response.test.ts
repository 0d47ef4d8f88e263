import { describe, expect, it } from "vitest";
import { decodeResponsesRequest } from "../../../src/dialect/responses/decode-request.ts";
import { encodeResponsesResponse } from "../../../src/dialect/responses/encode-response.ts";
import { encodeResponsesStoredOutputItems } from "../../../src/dialect/responses/stored-output.ts";
import type {
  NeutralResponsePart,
  NeutralResponse,
} from "../../../src/dialect/neutral-response.ts";
import type { NeutralStopReason } from "../../../src/dialect/neutral-event.ts";
import {
  answerContext,
  answerId,
  openEnvelope,
  requestContext,
  wantsEverything,
} from "./response-context.ts";

const text: NeutralResponsePart = { type: "text", text: "hi", logprobs: [], citations: [] };
const seal = { dialect: "dialect_messages", kind: "thinking", signature: "sig" } as const;
const thought: NeutralResponsePart = { type: "reasoning", texts: ["hm"], encrypted: seal };
const call: NeutralResponsePart = {
  type: "tool-call",
  kind: "function",
  id: "call_1",
  name: "f",
  namespace: undefined,
  arguments: "{}",
};

function answer(
  parts: readonly NeutralResponsePart[],
  reason: NeutralStopReason = "end",
): NeutralResponse {
  return {
    parts,
    end: { type: "response-end", reason, raw: undefined },
    error: undefined,
    usage: { input: 7, cacheRead: 2000, cacheWrite: 300, output: 50, reasoning: 30 },
  };
}

/** The answer to a request with these members. */
function answered(body: Record<string, unknown>, parts: readonly NeutralResponsePart[] = [text]) {
  const turn = decodeResponsesRequest(
    { model: "lab/m", input: "hello", ...body },
    requestContext(),
  );
  return encodeResponsesResponse(answer(parts), answerContext(turn));
}

describe("encodeAnswer()", () => {
  it("[request.responses-to-chat] holds every field that clients of any language demand", () => {
    expect(answered({})).toEqual({
      id: `resp_${answerId}`,
      object: "response",
      created_at: 1_795_000_000,
      completed_at: 1_795_000_007,
      status: "completed",
      error: null,
      incomplete_details: null,
      model: "lab/m",
      output: [
        {
          id: `msg_${answerId}`,
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: "hi", annotations: [], logprobs: [] }],
        },
      ],
      usage: {
        input_tokens: 2307,
        input_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
        output_tokens: 50,
        output_tokens_details: { reasoning_tokens: 30 },
        total_tokens: 2357,
      },
      access_programs: null,
      background: false,
      conversation: null,
      frequency_penalty: 0,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      parallel_tool_calls: true,
      presence_penalty: 0,
      prompt_cache_key: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      service_tier: "default",
      temperature: 1,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_logprobs: 0,
      top_p: 1,
      truncation: "disabled",
      user: null,
      store: true,
      previous_response_id: null,
    });
  });

  it("repeats the request as the caller sent it", () => {
    const sent = {
      instructions: "Be brief.",
      max_output_tokens: 9,
      metadata: { a: "1" },
      parallel_tool_calls: false,
      reasoning: { effort: "low" },
      temperature: 0.2,
      text: { format: { type: "json_object" }, verbosity: "low" },
      tool_choice: { type: "function", name: "f" },
      tools: [{ type: "function", name: "f", parameters: { type: "object" }, strict: true }],
      top_p: 0.5,
      truncation: "auto",
      user: "u",
    };
    expect(answered(sent)).toMatchObject(sent);
    expect(answered(sent)).toMatchObject({ reasoning: { effort: "low", summary: null } });
  });

  it("says what the gateway decided about keeping it", () => {
    const context = { ...answerContext(), echo: { store: false, previousResponseId: "resp_0" } };
    expect(encodeResponsesResponse(answer([text]), context)).toMatchObject({
      store: false,
      previous_response_id: "resp_0",
    });
  });

  it.each([
    ["end", "completed", null],
    ["stop-sequence", "completed", null],
    ["tool-calls", "completed", null],
    ["unknown", "completed", null],
    ["length", "incomplete", { reason: "max_output_tokens" }],
    ["context-window", "incomplete", { reason: "max_output_tokens" }],
    ["pause", "incomplete", { reason: "max_output_tokens" }],
    ["refusal", "incomplete", { reason: "content_filter" }],
  ] as const)("[ending.reasons] tells the end `%s` as %s", (reason, status, details) => {
    expect(encodeResponsesResponse(answer([text], reason), answerContext())).toMatchObject({
      status,
      incomplete_details: details,
      output: [{ status }],
    });
  });

  it("puts neighbouring texts into one message, and keeps the order of everything else", () => {
    const { output } = encodeResponsesResponse(
      answer([thought, text, text, call, text]),
      answerContext(),
    );
    expect(output).toMatchObject([
      { type: "reasoning" },
      { type: "message", content: [{ text: "hi" }, { text: "hi" }] },
      { type: "function_call", call_id: "call_1", arguments: "{}" },
      { type: "message", id: `msg_${answerId}_2` },
    ]);
  });

  it("[thought.sealed] seals what was thought for who asks for it, and never tells it as text", () => {
    const { output } = encodeResponsesResponse(answer([thought, text]), answerContext());
    expect(output).toMatchObject([
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "hm" }],
        encrypted_content: openEnvelope.seal(seal, ["hm"]),
      },
      { content: [{ text: "hi" }] },
    ]);
    const withoutEncrypted = answerContext({
      reasoning: { ...wantsEverything, wantsEncrypted: false },
    });
    const told = encodeResponsesResponse(answer([thought]), withoutEncrypted)["output"];
    expect(JSON.stringify(told)).not.toContain("encrypted_content");
  });

  it("tells an answer that failed as failed, with what there is of it", () => {
    const error = { type: undefined, code: undefined, message: "Broke off." };
    const failed = { ...answer([text, call]), end: undefined, error };
    expect(encodeResponsesResponse(failed, answerContext())).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: "Broke off." },
      output: [{ status: "completed" }, { status: "incomplete" }],
    });
  });

  it("estimates usage that no upstream told, but of a failure tells what is known", () => {
    const unknown = { ...answer([text]), usage: undefined };
    expect(encodeResponsesResponse(unknown, answerContext())).toMatchObject({
      usage: { input_tokens: 12, output_tokens: 1, total_tokens: 13 },
    });
    const failed = { ...unknown, end: undefined };
    expect(encodeResponsesResponse(failed, answerContext())).toMatchObject({ usage: null });
  });

  it("has no time of completion when it was cut off", () => {
    const cut = encodeResponsesResponse(answer([text], "length"), answerContext());
    expect(cut).toMatchObject({ status: "incomplete", completed_at: null });
  });

  it("[answer.open-responses] repeats tools and schemas with every member, also those that were not sent", () => {
    const tool = { type: "function", name: "f" };
    const custom = { type: "custom", name: "c" };
    const format = { type: "json_schema", name: "s", schema: {} };
    const echo = { tools: [tool, { ...tool, strict: true }, custom], text: { format } };
    expect(answered(echo)).toMatchObject({
      tools: [
        { ...tool, description: null, parameters: null, strict: null },
        { ...tool, description: null, parameters: null, strict: true },
        custom,
      ],
      text: { format: { ...format, description: null, strict: false } },
    });
  });

  it("repeats penalties that were sent as numbers", () => {
    const echo = { presence_penalty: 0.5, frequency_penalty: "much" };
    expect(answered(echo)).toMatchObject({ presence_penalty: 0.5, frequency_penalty: 0 });
  });
});

describe("toStoredOutput()", () => {
  it("keeps what was thought although the caller did not ask to see it", () => {
    const context = answerContext({ reasoning: undefined });
    const seen = encodeResponsesResponse(answer([thought, text]), context)["output"];
    const kept = encodeResponsesStoredOutputItems(answer([thought, text]), context, []);
    expect(seen).toEqual(kept.slice(1));
    expect(kept[0]).toMatchObject({ type: "reasoning", summary: [{ text: "hm" }] });
    const again = decodeResponsesRequest({ model: "m", input: kept }, requestContext());
    expect(again.messages[0]?.parts[0]).toMatchObject({
      type: "reasoning",
      texts: ["hm"],
      encrypted: seal,
    });
  });
});
