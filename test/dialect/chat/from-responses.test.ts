import { describe, expect, it } from "vitest";
import type { ModelCapabilities } from "../../../src/dialect/capabilities.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { responsesCodec } from "../../../src/dialect/responses/codec.ts";
import { openEnvelope } from "./contexts.ts";
import { refusal, writeFrom } from "./from-caller.ts";

function write(body: JsonObject, capabilities: Partial<ModelCapabilities> = {}) {
  return writeFrom(responsesCodec, { input: "q", ...body }, capabilities);
}

/** The wire messages for items behind a question. */
function conversation(...items: readonly JsonObject[]) {
  return write({ input: [{ role: "user", content: "q" }, ...items] });
}

function call(id: string, rest: JsonObject = {}) {
  return { type: "function_call", call_id: id, name: "f", arguments: "{}", ...rest };
}

function output(id: string, value: unknown = "ok") {
  return { type: "function_call_output", call_id: id, output: value };
}

const wireCall = (id: string) => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}" },
});

describe("items, from responses to chat", () => {
  it("[request.responses-to-chat] a text and its instructions are two messages", () => {
    expect(write({ instructions: "s" }).body.messages).toEqual([
      { role: "system", content: "s" },
      { role: "user", content: "q" },
    ]);
  });

  it("calls and the text before them are one assistant message", () => {
    const { body, warnings } = conversation(
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] },
      call("A"),
      call("B"),
      output("B", "2"),
      output("A", "1"),
    );
    expect(body.messages.slice(1)).toEqual([
      { role: "assistant", content: "a", tool_calls: [wireCall("A"), wireCall("B")] },
      { role: "tool", tool_call_id: "A", content: "1" },
      { role: "tool", tool_call_id: "B", content: "2" },
    ]);
    expect(warnings).toEqual([]);
  });

  it("[request.agent-history] an output that came late stands by its call", () => {
    const { body } = conversation(call("A"), { role: "user", content: "u" }, output("A"));
    expect(body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("[function.image-results] images of an output stand behind the last one", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
    const { body } = conversation(
      call("A"),
      call("B"),
      output("A", [{ type: "input_text", text: "1" }, image]),
      output("B"),
    );
    expect(body.messages.slice(2).map(({ role }) => role)).toEqual(["tool", "tool", "user"]);
    expect(body.messages.at(-1)).toMatchObject({
      content: [{ text: "attachment of A" }, { image_url: { url: "data:image/png;base64,AAAA" } }],
    });
  });

  it("writes images and files, and refuses what it would have to fetch", () => {
    const file_data = "data:application/pdf;base64,AAAA";
    const { body } = conversation({
      role: "user",
      content: [
        { type: "input_text", text: "t" },
        { type: "input_image", image_url: "https://a.test/x.png", detail: "low" },
        { type: "input_file", file_data, filename: "t.pdf" },
      ],
    });
    expect(body.messages[1]?.["content"]).toEqual([
      { type: "text", text: "t" },
      { type: "image_url", image_url: { url: "https://a.test/x.png", detail: "low" } },
      { type: "file", file: { filename: "t.pdf", file_data } },
    ]);
    const remote = { type: "input_file", file_url: "http://a.test/x.pdf" };
    expect(() => conversation({ role: "user", content: [remote] })).toThrow(
      refusal("input[1].content[0].file_url"),
    );
  });

  it("a refusal stays one, and a phase is lost", () => {
    const { body, warnings } = conversation(
      {
        type: "message",
        role: "assistant",
        phase: "final_answer",
        content: [{ type: "refusal", refusal: "no" }],
      },
      { role: "user", content: "u" },
    );
    expect(body.messages[1]).toEqual({ role: "assistant", content: null, refusal: "no" });
    expect(warnings).toEqual(["input[1].phase dropped unsupported"]);
  });

  it("thoughts go back to the server that wants them, and to no other", () => {
    const seal = { dialect: "dialect_chat", kind: "plain" } as const;
    const encrypted_content = openEnvelope.seal(seal, ["hm"]);
    const items = [
      { role: "user", content: "q" },
      { type: "reasoning", summary: [], encrypted_content },
      call("A"),
      output("A"),
    ];
    const echoed = write({ input: items }, { reasoningEcho: true });
    expect(echoed.body.messages[1]).toMatchObject({
      reasoning_content: "hm",
      tool_calls: [{ id: "A" }],
    });
    expect(echoed.warnings).toEqual([]);
    expect(write({ input: items }).warnings).toEqual(["input[1] dropped unsupported"]);
  });

  it.each<[string, JsonObject]>([
    ["input[1].type", { type: "web_search_call", id: "w" }],
    ["input[1].type", { type: "computer_call_output", call_id: "c", output: {} }],
    ["input[1]", { type: "item_reference", id: "i" }],
    ["input[1].call_id", { type: "function_call_output", output: "x" }],
  ])("[request.history] refuses the item at %s: %j", (param, item) => {
    expect(() => conversation(item)).toThrow(refusal(param));
  });

  it("[request.history] refuses a history that it does not have", () => {
    expect(() => write({ previous_response_id: "resp_x" })).toThrow(
      refusal("previous_response_id"),
    );
    expect(() => write({ background: true })).toThrow(refusal("background"));
    expect(() => write({ conversation: "c" })).toThrow(refusal("conversation"));
  });
});

describe("tools, from responses to chat", () => {
  const tool = {
    type: "function",
    name: "f",
    description: "d",
    parameters: { type: "object" },
    strict: false,
  };

  it("nests what is flat", () => {
    const { body } = write({
      tools: [tool],
      tool_choice: { type: "function", name: "f" },
      parallel_tool_calls: true,
    });
    expect(body["tools"]).toEqual([
      {
        type: "function",
        function: { name: "f", description: "d", parameters: { type: "object" }, strict: false },
      },
    ]);
    expect(body["tool_choice"]).toEqual({ type: "function", function: { name: "f" } });
    expect(body["parallel_tool_calls"]).toBeUndefined();
  });

  it("[function.namespace] flattens a namespace and recalls it", () => {
    const space = {
      type: "namespace",
      name: "files",
      description: "",
      tools: [{ ...tool, name: "read" }],
    };
    const history = [
      { role: "user", content: "q" },
      call("A", { name: "read", namespace: "files" }),
      output("A"),
    ];
    const { body, recall } = write({ tools: [space], input: history });
    expect(body["tools"]).toMatchObject([{ function: { name: "files__read" } }]);
    expect(body.messages[1]).toMatchObject({ tool_calls: [{ function: { name: "files__read" } }] });
    expect(recall.tools.get("files__read")).toEqual({
      name: "read",
      namespace: "files",
      kind: "function",
    });
  });

  it("wraps a custom tool, its grammar in the description, its calls and results alike", () => {
    const custom = {
      type: "custom",
      name: "apply_patch",
      description: "Patches.",
      format: { type: "grammar", syntax: "lark", definition: "start: x" },
    };
    const { body, recall, warnings } = write({
      tools: [custom],
      input: [
        { role: "user", content: "q" },
        { type: "custom_tool_call", call_id: "A", name: "apply_patch", input: 'a "b"' },
        { type: "custom_tool_call_output", call_id: "A", output: "ok" },
      ],
    });
    expect(body["tools"]).toEqual([
      {
        type: "function",
        function: {
          name: "apply_patch",
          description: "Patches.\n\nThe input follows this lark grammar:\nstart: x",
          parameters: {
            type: "object",
            properties: { input: { type: "string" } },
            required: ["input"],
            additionalProperties: false,
          },
        },
      },
    ]);
    expect(body.messages[1]).toMatchObject({
      tool_calls: [
        {
          id: "A",
          type: "function",
          function: { name: "apply_patch", arguments: '{"input":"a \\"b\\""}' },
        },
      ],
    });
    expect(recall.tools.get("apply_patch")?.kind).toBe("custom");
    expect(warnings).toEqual(["tools[0] approximated wrapped"]);
  });

  it("leaves a custom tool to a first-party server, its grammar nested", () => {
    const custom = {
      type: "custom",
      name: "p",
      format: { type: "grammar", syntax: "lark", definition: "x" },
    };
    const { body, warnings } = write(
      { tools: [custom], tool_choice: { type: "custom", name: "p" } },
      { firstParty: true },
    );
    expect(body["tools"]).toEqual([
      {
        type: "custom",
        custom: {
          name: "p",
          format: { type: "grammar", grammar: { definition: "x", syntax: "lark" } },
        },
      },
    ]);
    expect(body["tool_choice"]).toEqual({ type: "custom", custom: { name: "p" } });
    expect(warnings).toEqual([]);
  });

  it("[function.choice] gives a server that knows no lists the allowed tools alone", () => {
    const tools = [tool, { ...tool, name: "g" }];
    const tool_choice = {
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "function", name: "g" }],
    };
    const { body } = write({ tools, tool_choice });
    expect(body["tools"]).toMatchObject([{ function: { name: "g" } }]);
    expect(body["tool_choice"]).toBe("required");
    const listed = write({ tools, tool_choice }, { firstParty: true }).body;
    expect(listed["tools"]).toHaveLength(2);
    expect(listed["tool_choice"]).toEqual({
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "g" } }] },
    });
  });

  it("[function.vendor-tools] refuses tools of the vendor", () => {
    const hosted = { type: "code_interpreter", container: { type: "auto" } };
    expect(() => write({ tools: [hosted] })).toThrow(refusal("tools[0].type"));
  });
});

describe("parameters, from responses to chat", () => {
  it("maps what chat has", () => {
    const { body, warnings } = write({
      max_output_tokens: 50,
      temperature: 1,
      reasoning: { effort: "low", summary: "auto" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      include: ["message.output_text.logprobs"],
      top_logprobs: 2,
      user: "u",
      store: false,
      stream: true,
    });
    expect(body).toEqual({
      model: "lab-1",
      messages: [{ role: "user", content: "q" }],
      response_format: { type: "json_object" },
      reasoning_effort: "low",
      verbosity: "low",
      max_tokens: 50,
      temperature: 1,
      logprobs: true,
      top_logprobs: 2,
      user: "u",
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(warnings).toEqual([]);
  });

  it("says what chat lacks", () => {
    const { warnings } = write({
      truncation: "auto",
      max_tool_calls: 3,
      metadata: { a: "b" },
      prompt_cache_key: "k",
    });
    expect(warnings).toEqual([
      "truncation dropped unsupported",
      "max_tool_calls dropped unsupported",
      "prompt_cache_key dropped unsupported",
      "metadata dropped unsupported",
    ]);
  });
});
