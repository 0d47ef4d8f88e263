import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { openEnvelope } from "./response-context.ts";
import { refusalOf } from "./decoding.ts";
import { toResponses, type TranscodeOptions, type Written } from "./transcoding.ts";

const messagesHello = {
  model: "m",
  messages: [{ role: "user", content: "hello" }],
  max_tokens: 100,
};

function fromMessages(body: JsonObject, options?: TranscodeOptions): Written {
  return toResponses("dialect_messages", { ...messagesHello, ...body }, options);
}

function inputOf({ body }: Written): readonly JsonObject[] {
  return body["input"] as readonly JsonObject[];
}

const png = "data:image/png;base64,AAAA";
const source = { type: "base64", media_type: "image/png", data: "AAAA" };

describe("a messages request for a responses upstream", () => {
  it("carries a conversation with thoughts, calls, results with images, errors", () => {
    const sealed = openEnvelope.seal(
      { dialect: "dialect_responses", kind: "encrypted", id: "rs_9", encryptedContent: "gAAA" },
      ["hm"],
    );
    const written = fromMessages({
      system: [
        { type: "text", text: "A" },
        { type: "text", text: "B" },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "see" },
            { type: "image", source },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: sealed },
            { type: "text", text: "Looking." },
            { type: "tool_use", id: "t1", name: "f", input: { a: 1 } },
            { type: "tool_use", id: "t2", name: "f", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              content: [
                { type: "text", text: "x" },
                { type: "image", source },
              ],
            },
            { type: "tool_result", tool_use_id: "t2", is_error: true, content: "bad" },
            { type: "text", text: "go on" },
          ],
        },
      ],
    });
    expect(written.body["instructions"]).toBe("A\n\nB");
    expect(inputOf(written)).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "see" },
          { type: "input_image", image_url: png, detail: "auto" },
        ],
      },
      {
        type: "reasoning",
        id: "rs_9",
        summary: [{ type: "summary_text", text: "hm" }],
        encrypted_content: "gAAA",
      },
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Looking.", annotations: [] }],
      },
      {
        type: "function_call",
        call_id: "t1",
        name: "f",
        arguments: '{"a":1}',
        status: "completed",
      },
      { type: "function_call", call_id: "t2", name: "f", arguments: "{}", status: "completed" },
      {
        type: "function_call_output",
        call_id: "t1",
        output: [
          { type: "input_text", text: "x" },
          { type: "input_image", image_url: png, detail: "auto" },
        ],
      },
      { type: "function_call_output", call_id: "t2", output: "[tool_error] bad" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "go on" }] },
    ]);
    expect(written.warnings).toEqual([
      {
        path: "messages[2].content[1].is_error",
        action: "approximated",
        reason: "wrapped",
      },
    ]);
  });

  it("[thought.other-vendor] sends no other vendor's thoughts, and says so", () => {
    const written = fromMessages({
      messages: [
        { role: "user", content: "a" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "another vendor's" },
            { type: "text", text: "b" },
          ],
        },
        { role: "user", content: "c" },
      ],
    });
    expect(JSON.stringify(written.body)).not.toContain("hm");
    expect(written.warnings.map(({ path, action }) => [path, action])).toContainEqual([
      "messages[1].content[0]",
      "dropped",
    ]);
  });

  it("carries documents: data and addresses as files, words as text with their title", () => {
    const written = fromMessages({
      messages: [
        {
          role: "user",
          content: [
            {
              type: "document",
              title: "a.pdf",
              source: { type: "base64", media_type: "application/pdf", data: "BBBB" },
            },
            { type: "document", source: { type: "url", url: "https://a.example/c.pdf" } },
            {
              type: "document",
              title: "notes",
              source: { type: "text", media_type: "text/plain", data: "words" },
            },
          ],
        },
      ],
    });
    expect(inputOf(written)[0]?.["content"]).toEqual([
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,BBBB" },
      { type: "input_file", file_url: "https://a.example/c.pdf" },
      { type: "input_text", text: "notes\nwords" },
    ]);
    expect(written.warnings).toEqual([
      { path: "messages[0].content[2]", action: "approximated", reason: "wrapped" },
    ]);
  });

  it.each([
    [{ type: "enabled", budget_tokens: 4000 }, "low"],
    [{ type: "enabled", budget_tokens: 16_384 }, "high"],
    [{ type: "adaptive" }, undefined],
  ])("turns the thinking %j into the effort %s, and asks for the thoughts", (thinking, effort) => {
    const { body } = fromMessages({ thinking, max_tokens: 20_000 });
    expect(body["reasoning"]).toEqual(
      effort === undefined ? { summary: "auto" } : { effort, summary: "auto" },
    );
    expect(body["include"]).toEqual(["reasoning.encrypted_content"]);
  });

  it("leaves thinking to the model when it is switched off", () => {
    const { body } = fromMessages({ thinking: { type: "disabled" } });
    expect(body).not.toHaveProperty("reasoning");
    expect(body).not.toHaveProperty("include");
  });

  it("asks for no summary when the thoughts are not to be shown", () => {
    const thinking = { type: "adaptive", display: "omitted" };
    const { body } = fromMessages(
      { thinking, output_config: { effort: "max" } },
      { capabilities: { highestEffort: "xhigh" } },
    );
    expect(body["reasoning"]).toEqual({ effort: "xhigh" });
  });

  it("[request.schema-optional] demands a schema strictly only when nothing in it is optional", () => {
    const open = { type: "object", properties: { a: { type: "string" } } };
    const closed = { ...open, required: ["a"], additionalProperties: false };
    const formatOf = (schema: JsonObject) =>
      fromMessages({ output_config: { format: { type: "json_schema", schema } } }).body["text"];
    expect(formatOf(open)).toEqual({
      format: { type: "json_schema", name: "response", schema: open, strict: false },
    });
    expect(formatOf(closed)).toEqual({
      format: { type: "json_schema", name: "response", schema: closed, strict: true },
    });
  });

  it("[function.schema] sends tools without what belongs to their own dialect, and says so", () => {
    const input_schema = { type: "object", properties: {} };
    const { body, warnings } = fromMessages({
      tools: [
        { type: "custom", name: "f", input_schema, defer_loading: true, input_examples: [{}] },
      ],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    });
    expect(body["tools"]).toEqual([
      { type: "function", name: "f", parameters: input_schema, strict: false },
    ]);
    expect(body).toMatchObject({ tool_choice: "required", parallel_tool_calls: false });
    expect(warnings.map(({ path }) => path)).toEqual([
      "tools[0].defer_loading",
      "tools[0].input_examples",
    ]);
  });

  it("[request.user] maps the user, drops the rest of the advice", () => {
    const { body, warnings } = fromMessages({
      metadata: { user_id: "u" },
      service_tier: "standard_only",
      system: [{ type: "text", text: "A", cache_control: { type: "ephemeral" } }],
      top_k: 5,
      inference_geo: "eu",
    });
    expect(body).toMatchObject({ user: "u", service_tier: "default" });
    expect(warnings.map(({ path }) => path)).toEqual([
      "inference_geo",
      "system[0].cache_control",
      "top_k",
    ]);
    const firstParty = fromMessages(
      { metadata: { user_id: "u" } },
      { capabilities: { firstParty: true } },
    );
    expect(firstParty.body["safety_identifier"]).toBe("u");
  });

  it("marks cache breakpoints where the upstream knows them", () => {
    const content = [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }];
    const { body, warnings } = fromMessages(
      { messages: [{ role: "user", content }] },
      { capabilities: { promptCache: true } },
    );
    expect(body["input"]).toEqual([
      {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } }],
      },
    ]);
    expect(warnings).toEqual([
      {
        path: "messages[0].content[0].cache_control.ttl",
        action: "approximated",
        reason: "default",
      },
    ]);
  });

  it.each([
    ["max_tokens", { max_tokens: 0 }],
    [
      "messages",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: "b" },
        ],
      },
    ],
    ["container", { container: "c_1" }],
    ["tools[0].type", { tools: [{ type: "web_search_20260318", name: "web_search" }] }],
    [
      "messages[0].content[0].source.file_id",
      {
        messages: [
          { role: "user", content: [{ type: "image", source: { type: "file", file_id: "f" } }] },
        ],
      },
    ],
  ])("refuses at %s what would change the answer", (param, change) => {
    expect(refusalOf(() => fromMessages(change))).toBe(param);
  });
});
