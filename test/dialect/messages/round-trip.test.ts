import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unknownModelCapabilities } from "../../../src/dialect/capabilities.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { ConversionWarningCollector } from "../../../src/dialect/conversion-warning.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import { placeToolResultsAfterCalls } from "../../../src/dialect/pair-tool-results.ts";
import type { NeutralPart } from "../../../src/dialect/neutral-request.ts";
import { requestContext } from "../../support/codec-contexts.ts";
import { someTurn } from "../arbitrary-request.ts";

/** A body read and written again in this dialect, and what was lost on the way. */
function roundTrip(body: JsonObject) {
  const context = requestContext();
  const turn = placeToolResultsAfterCalls(messagesCodec.decodeRequest(body, context));
  const { body: written } = messagesCodec.encodeRequest(turn, {
    warnings: context.warnings,
    model: turn.model,
    capabilities: unknownModelCapabilities,
  });
  return { written, losses: context.warnings.warnings };
}

const cached = { cache_control: { type: "ephemeral", ttl: "1h" } };

const agent: JsonObject = {
  model: "claude-opus-4-8",
  max_tokens: 32_000,
  system: [{ type: "text", text: "You are an agent.", ...cached }],
  messages: [
    { role: "user", content: "look" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "EqQB==" },
        { type: "redacted_thinking", data: "Emw==" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a", lines: [1, 2] } },
        { type: "tool_use", id: "toolu_2", name: "list", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "no such file", is_error: true },
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          content: [
            { type: "text", text: "see" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
          ],
        },
        { type: "text", text: "go on", cache_control: { type: "ephemeral" } },
      ],
    },
  ],
  tools: [
    { name: "read", description: "Reads.", input_schema: { type: "object", properties: {} } },
    { name: "list", input_schema: { type: "object" }, defer_loading: true, ...cached },
    { type: "web_search_20260318", name: "web_search", max_uses: 3 },
  ],
  tool_choice: { type: "auto", disable_parallel_tool_use: true },
  thinking: { type: "adaptive", display: "summarized" },
  output_config: { effort: "xhigh" },
  stop_sequences: ["END"],
  metadata: { user_id: "u1" },
  service_tier: "auto",
  cache_control: { type: "ephemeral" },
  speed: "fast",
  stream: true,
};

const reader: JsonObject = {
  model: "claude-sonnet-4-5",
  max_tokens: 0,
  messages: [
    {
      role: "user",
      content: [
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
          title: "a.pdf",
          context: "c",
          citations: { enabled: true },
        },
        { type: "document", source: { type: "file", file_id: "file_1" } },
        { type: "document", source: { type: "url", url: "https://a.example/b.pdf" } },
        {
          type: "search_result",
          source: "https://a.example",
          title: "A",
          content: [{ type: "text", text: "found" }],
        },
        { type: "image", source: { type: "url", url: "https://a.example/x.png" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "q" } },
        { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] },
        { type: "text", text: "found", citations: [{ type: "page_location", start: 1 }] },
      ],
    },
    { role: "user", content: "thanks" },
  ],
  thinking: { type: "enabled", budget_tokens: 4096 },
  output_config: {
    format: { type: "json_schema", schema: { type: "object", properties: { a: { minimum: 1 } } } },
  },
  temperature: 1,
  top_p: 0.9,
  top_k: 5,
};

describe("messages, read and written again", () => {
  it.each([
    ["an agent's turn", agent],
    ["documents, citations, a vendor's tools", reader],
  ])("%s is the same", (_name, body) => {
    const { written, losses } = roundTrip(body);
    expect(written).toEqual(body);
    expect(losses).toEqual([]);
  });

  it("any conversation is the same after the first time, byte for byte", () => {
    fc.assert(
      fc.property(someTurn(), (turn) => {
        fc.pre(turn.messages.some(({ parts }) => parts.some(saysSomething)));
        const ledger = new ConversionWarningCollector();
        const target = { warnings: ledger, model: "m", capabilities: unknownModelCapabilities };
        const { body } = messagesCodec.encodeRequest(placeToolResultsAfterCalls(turn), target);
        expect(JSON.stringify(roundTrip(body).written)).toBe(JSON.stringify(body));
      }),
    );
  });
});

/** A conversation of blanks is refused. */
function saysSomething(part: NeutralPart): boolean {
  return part.type !== "text" || part.text.trim() !== "";
}
