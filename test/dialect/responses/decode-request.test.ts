import { describe, expect, it } from "vitest";
import { decode, decodeWithLosses, refusalOf, user } from "./decoding.ts";

describe("decodeRequest()", () => {
  it("[request.responses-to-chat] reads a text and instructions", () => {
    const turn = decode({ instructions: "Be brief.", stream: true });
    expect(turn).toMatchObject({ origin: "dialect_responses", model: "m", isStream: true });
    expect(turn.system).toEqual([{ type: "text", path: "instructions", text: "Be brief." }]);
    expect(turn.messages).toEqual([
      { path: "input", role: "user", parts: [{ type: "text", path: "input", text: "hello" }] },
    ]);
  });

  it("reads the settings that have a neutral name", () => {
    const turn = decode({
      max_output_tokens: 400,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      service_tier: "flex",
      user: "u-1",
      metadata: { a: "1" },
      text: { verbosity: "low" },
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      top_logprobs: 3,
    });
    expect(turn).toMatchObject({
      maxOutputTokens: { path: "max_output_tokens", value: 400 },
      sampling: { temperature: { value: 0.5 }, topP: { value: 0.9 } },
      parallelToolCalls: false,
      serviceTier: { value: "flex" },
      user: { path: "user", value: "u-1" },
      metadata: { value: { a: "1" } },
      verbosity: { path: "text.verbosity", value: "low" },
      reasoning: {
        path: "reasoning.effort",
        mode: "effort",
        effort: "high",
        summary: "auto",
        wantsEncrypted: true,
      },
      logprobs: { path: "include", value: { top: 3 } },
      extras: [],
    });
  });

  it("[request.schema-form] reads the flat form of a schema", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const format = { type: "json_schema", name: "thing", schema, strict: true, description: "d" };
    expect(decode({ text: { format } }).format).toEqual({
      path: "text.format",
      kind: "schema",
      name: "thing",
      description: "d",
      schema,
      strict: true,
    });
    expect(decode({ text: { format: { type: "json_object" } } }).format?.kind).toBe("json");
    expect(decode({ text: { format: { type: "text" } } }).format).toBeUndefined();
  });

  it("keeps what has no neutral name, in the order of the body", () => {
    const { extras } = decode({
      zebra: 1,
      truncation: "auto",
      max_tool_calls: 2,
      reasoning: { context: "auto" },
      stream_options: { include_obfuscation: false },
      include: ["file_search_call.results"],
      user: "a",
      safety_identifier: "b",
      top_logprobs: 4,
      moderation: null,
    });
    expect(extras.map(({ path }) => path)).toEqual([
      "zebra",
      "truncation",
      "max_tool_calls",
      "reasoning.context",
      "stream_options.include_obfuscation",
      "include",
      "user",
      "top_logprobs",
    ]);
    expect(decode({ truncation: "disabled", background: false, store: true }).extras).toMatchObject(
      [],
    );
  });

  it("remembers what an answer repeats, as it was sent", () => {
    const tools = [{ type: "function", name: "f", parameters: null, strict: null }];
    const { echo } = decode({
      tools,
      instructions: null,
      store: false,
      temperature: 0,
      stream: true,
    });
    expect(echo).toEqual({ tools, store: false, temperature: 0 });
  });

  it("drops an effort that is newer than this code, with a warning", () => {
    const { turn, losses } = decodeWithLosses({
      reasoning: { effort: "galactic", summary: "auto" },
    });
    expect(turn.reasoning).toMatchObject({ mode: "default", effort: undefined, summary: "auto" });
    expect(losses).toEqual([{ path: "reasoning.effort", action: "dropped", reason: "unknown" }]);
  });

  it("takes null for not said", () => {
    const turn = decode({
      instructions: null,
      tools: null,
      reasoning: null,
      text: null,
      metadata: null,
    });
    expect(turn).toMatchObject({
      system: [],
      tools: [],
      reasoning: undefined,
      metadata: undefined,
    });
  });

  it.each([
    ["model", { model: undefined }],
    ["model", { model: 7 }],
    ["input", { input: undefined }],
    ["input", { input: 7 }],
    ["max_tool_calls", { max_tool_calls: -1 }],
    ["max_tool_calls", { max_tool_calls: 0 }],
    ["max_tool_calls", { max_tool_calls: 1.5 }],
    ["max_tool_calls", { max_tool_calls: "2" }],
    ["input[0]", { input: ["hello"] }],
    ["input[0].role", { input: [{ role: "robot", content: "x" }] }],
    ["input[0].content", { input: [{ role: "user" }] }],
    ["input[0].content", { input: [{ role: "user", content: 7 }] }],
    [
      "input[0].content[1].text",
      {
        input: [
          { role: "user", content: [{ type: "input_text", text: "a" }, { type: "input_text" }] },
        ],
      },
    ],
    ["input[0].content[0].type", { input: [{ role: "user", content: [{ text: "a" }] }] }],
    [
      "input[0].content[0].type",
      {
        input: [
          {
            role: "developer",
            content: [{ type: "input_image", image_url: "https://a.example/" }],
          },
        ],
      },
    ],
    [
      "input[0].content[0].file_data",
      { input: [{ role: "user", content: [{ type: "input_file" }] }] },
    ],
    [
      "input[0].content[0].image_url",
      {
        input: [
          {
            role: "user",
            content: [{ type: "input_image", image_url: "data:image/svg+xml,<svg/>" }],
          },
        ],
      },
    ],
    ["input[0].type", { input: [{ content: "x" }] }],
    ["input[0].call_id", { input: [{ type: "function_call", name: "f", arguments: "" }] }],
    ["input[0].arguments", { input: [{ type: "function_call", name: "f", call_id: "c" }] }],
    ["input[0].call_id", { input: [{ type: "function_call_output", output: "" }] }],
    ["input[0].output", { input: [{ type: "function_call_output", call_id: "c" }] }],
    ["instructions", { instructions: ["x"] }],
    ["stream", { stream: "yes" }],
    ["temperature", { temperature: "0.5" }],
    ["max_output_tokens", { max_output_tokens: 1.5 }],
    ["metadata.a", { metadata: { a: 1 } }],
    ["text.format.type", { text: { format: { type: "xml" } } }],
    ["text.format.schema", { text: { format: { type: "json_schema", name: "a" } } }],
    ["tools[0].type", { tools: [{ name: "f" }] }],
    ["tools[0].name", { tools: [{ type: "function" }] }],
    [
      "tools[0].tools[1].name",
      {
        tools: [
          {
            type: "namespace",
            name: "n",
            tools: [{ type: "custom", name: "a" }, { type: "function" }],
          },
        ],
      },
    ],
    ["tool_choice", { tool_choice: "sometimes" }],
    ["tool_choice", { tool_choice: { type: "function", name: "missing" } }],
    [
      "tool_choice",
      {
        tool_choice: {
          type: "allowed_tools",
          mode: "auto",
          tools: [{ type: "function", name: "missing" }],
        },
      },
    ],
    [
      "tool_choice.tools[0].type",
      { tool_choice: { type: "allowed_tools", tools: [{ type: "mcp" }] } },
    ],
    ["background", { background: true }],
    ["conversation", { conversation: { id: "conv_1" } }],
    ["conversation", { conversation: "conv_1" }],
    ["prompt", { prompt: { id: "p_1" } }],
    ["previous_response_id", { previous_response_id: "resp_unknown" }],
    ["input[1]", { input: [user, { id: "msg_unknown" }] }],
    ["input[1]", { input: [user, { type: "item_reference", id: "msg_unknown" }] }],
    ["input[1]", { input: [user, { type: null, id: "msg_unknown" }] }],
  ])("[request.refused] [request.history] refuses a bad body at %s", (param, change) => {
    expect(refusalOf(() => decode(change))).toBe(param);
  });
});

describe("tools", () => {
  it("reads functions, custom tools and namespaces, and keeps what belongs to this dialect apart", () => {
    const parameters = { type: "object", properties: {} };
    const { turn, losses } = decodeWithLosses({
      tools: [
        {
          type: "function",
          name: "f",
          description: "d",
          parameters,
          strict: true,
          defer_loading: true,
        },
        { type: "custom", name: "patch", format: { type: "text" }, async: true },
        {
          type: "namespace",
          name: "fs",
          description: "files",
          tools: [{ type: "function", name: "read", parameters: null, strict: null }],
        },
      ],
    });
    expect(turn.tools).toMatchObject([
      {
        type: "function",
        path: "tools[0]",
        name: "f",
        description: "d",
        parameters,
        strict: true,
        extras: [{ name: "defer_loading", path: "tools[0].defer_loading", value: true }],
      },
      { type: "custom", name: "patch", format: { type: "text" } },
      { type: "function", name: "read", namespace: "fs", path: "tools[2].tools[0]" },
    ]);
    expect(losses.map(({ path }) => path)).toEqual(["tools[1].async", "tools[2].description"]);
  });

  it("[function.vendor-tools] keeps a tool of the vendor as what it is", () => {
    const [tool] = decode({ tools: [{ type: "code_interpreter", container: {} }] }).tools;
    expect(tool).toMatchObject({ type: "hosted", path: "tools[0]", name: "code_interpreter" });
  });

  it.each([
    ["none", { kind: "none" }],
    ["auto", { kind: "auto" }],
    ["required", { kind: "required" }],
    [
      { type: "function", name: "f" },
      { kind: "tool", name: "f" },
    ],
    [
      { type: "custom", name: "patch" },
      { kind: "tool", name: "patch" },
    ],
    [
      { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "f" }] },
      { kind: "allowed", names: ["f"], isRequired: true },
    ],
    [{ type: "web_search" }, { kind: "opaque", dialect: "dialect_responses" }],
  ])("reads the tool_choice %j", (choice, expected) => {
    const tools = [
      { type: "function", name: "f" },
      { type: "custom", name: "patch" },
    ];
    expect(decode({ tools, tool_choice: choice }).toolChoice).toMatchObject(expected);
  });
});
