import { describe, expect, it } from "vitest";
import type { ModelCapabilities } from "../../../src/dialect/capabilities.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import { refusal, writeFrom } from "./from-caller.ts";

/** A messages caller's body for a chat upstream. */
function write(rest: JsonObject, capabilities: Partial<ModelCapabilities> = {}) {
  const body = { max_tokens: 100, messages: [{ role: "user", content: "q" }], ...rest };
  return writeFrom(messagesCodec, body, capabilities);
}

const question = { role: "user", content: "q" };

function use(id: string, name = "f") {
  return { type: "tool_use", id, name, input: { x: 1 } };
}

function result(id: string, content: unknown, rest: JsonObject = {}) {
  return { type: "tool_result", tool_use_id: id, content, ...rest };
}

describe("tools, from messages to chat", () => {
  const input_schema = { type: "object", properties: { x: {} } };

  it("[function.schema] the schema is the parameters, and nothing leaks into it", () => {
    const tool = {
      type: "custom",
      name: "f",
      input_schema,
      defer_loading: true,
      input_examples: [{}],
      eager_input_streaming: true,
    };
    const { body, warnings } = write({ tools: [tool] });
    expect(body["tools"]).toEqual([
      { type: "function", function: { name: "f", parameters: input_schema } },
    ]);
    expect(warnings).toEqual([
      "tools[0].defer_loading dropped unsupported",
      "tools[0].input_examples dropped unsupported",
      "tools[0].eager_input_streaming dropped unsupported",
    ]);
  });

  it("strict stays where chat can be strict", () => {
    const closed = { ...input_schema, required: ["x"], additionalProperties: false };
    const tools = [
      { name: "a", input_schema: closed, strict: true },
      { name: "b", input_schema, strict: true },
    ];
    const { body, warnings } = write({ tools });
    expect(body["tools"]).toMatchObject([
      { function: { strict: true } },
      { function: { name: "b" } },
    ]);
    expect(JSON.stringify(body["tools"]).match(/strict/g)).toHaveLength(1);
    expect(warnings).toEqual(["tools[1].strict dropped schema"]);
  });

  it.each<[JsonObject, unknown, unknown]>([
    [{ type: "auto" }, "auto", undefined],
    [{ type: "any" }, "required", undefined],
    [{ type: "none" }, "none", undefined],
    [{ type: "tool", name: "f" }, { type: "function", function: { name: "f" } }, undefined],
    [{ type: "auto", disable_parallel_tool_use: true }, "auto", false],
  ])(
    "[function.choice] sends the tool_choice %j in the form of chat",
    (tool_choice, choice, parallel) => {
      const { body, warnings } = write({ tools: [{ name: "f", input_schema }], tool_choice });
      expect(body["tool_choice"]).toEqual(choice);
      expect(body["parallel_tool_calls"]).toBe(parallel);
      expect(warnings).toEqual([]);
    },
  );

  it("refuses a choice of what is not there", () => {
    expect(() => write({ tool_choice: { type: "tool", name: "g" } })).toThrow(
      refusal("tool_choice"),
    );
    expect(() => write({ tool_choice: { type: "any" } })).toThrow(refusal("tool_choice"));
    expect(write({ tool_choice: { type: "auto" } }).body["tool_choice"]).toBeUndefined();
  });

  it("[function.vendor-tools] refuses server tools", () => {
    expect(() => write({ tools: [{ type: "web_search_20260318", name: "web_search" }] })).toThrow(
      refusal("tools[0].type"),
    );
  });

  it("shortens long names everywhere, and recalls them", () => {
    const name = "n".repeat(100);
    const { body, recall } = write({
      tools: [{ name, input_schema }],
      tool_choice: { type: "tool", name },
      messages: [
        question,
        { role: "assistant", content: [use("A", name)] },
        { role: "user", content: [result("A", "1")] },
      ],
    });
    const [short = ""] = recall.tools.keys();
    expect(short).toMatch(/^n{55}_[0-9a-f]{8}$/);
    expect(body["tool_choice"]).toEqual({ type: "function", function: { name: short } });
    expect(body.messages[1]).toMatchObject({ tool_calls: [{ function: { name: short } }] });
    expect(recall.tools.get(short)).toMatchObject({ name });
    expect([...recall.callIds]).toEqual(["A"]);
  });
});

describe("caching, from messages to chat", () => {
  const marked = (text: string, ttl?: string) => ({
    type: "text",
    text,
    cache_control: ttl === undefined ? { type: "ephemeral" } : { type: "ephemeral", ttl },
  });

  it("[request.user] marks are dropped where the server does not know them", () => {
    const { body, warnings } = write({
      system: [marked("s")],
      cache_control: { type: "ephemeral" },
    });
    expect(JSON.stringify(body)).not.toContain("cache");
    expect(warnings).toEqual([
      "system[0].cache_control dropped unsupported",
      "cache_control dropped unsupported",
    ]);
  });

  it("marks become breakpoints where it does", () => {
    const messages = [{ role: "user", content: [marked("a", "1h"), marked("b", "5m")] }];
    const { body, warnings } = write(
      {
        system: [marked("s")],
        messages,
        tools: [{ name: "f", input_schema: {}, cache_control: { type: "ephemeral" } }],
      },
      { promptCache: true },
    );
    const prompt_cache_breakpoint = { mode: "explicit" };
    expect(body.messages).toEqual([
      { role: "system", content: [{ type: "text", text: "s", prompt_cache_breakpoint }] },
      {
        role: "user",
        content: [
          { type: "text", text: "a", prompt_cache_breakpoint },
          { type: "text", text: "b", prompt_cache_breakpoint },
        ],
      },
    ]);
    expect(warnings).toEqual([
      "messages[0].content[0].cache_control.ttl approximated default",
      "tools[0].cache_control dropped position",
    ]);
  });

  it("keeps the last four marks", () => {
    const content = ["a", "b", "c", "d", "e"].map((text) => marked(text));
    const { body, warnings } = write(
      { messages: [{ role: "user", content }] },
      { promptCache: true },
    );
    expect(JSON.stringify(body).match(/prompt_cache_breakpoint/g)).toHaveLength(4);
    expect(warnings).toEqual(["messages[0].content[0].cache_control dropped limit"]);
  });

  it("[request.stable] two identical calls have identical bytes", () => {
    const body = { system: [marked("s")], tools: [{ name: "n".repeat(70), input_schema: {} }] };
    expect(JSON.stringify(write(body).body)).toBe(JSON.stringify(write(body).body));
  });
});
