import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import type { Turn } from "../../../src/dialect/turn.ts";
import { envelopeOf, requestContext } from "../../support/codec-contexts.ts";
import { refusedParam } from "../../support/transcoding.ts";

function decode(fields: JsonObject, headers: Readonly<Record<string, string>> = {}) {
  const context = requestContext(headers);
  const body = {
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user", content: "hi" }],
    ...fields,
  };
  const turn = messagesCodec.decodeRequest(body, context);
  return { turn, losses: context.ledger.losses.map(({ path, reason }) => `${path} ${reason}`) };
}

function refused(fields: JsonObject, headers?: Readonly<Record<string, string>>) {
  return refusedParam(() => decode(fields, headers));
}

function user(...content: readonly JsonObject[]): JsonObject {
  return { messages: [{ role: "user", content }] };
}

function assistant(...content: readonly JsonObject[]): JsonObject {
  return {
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content },
      { role: "user", content: "b" },
    ],
  };
}

function shapeOf({ messages }: Turn) {
  return messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)]);
}

describe("decodeRequest()", () => {
  it("reads the fields that every dialect has", () => {
    const { turn, losses } = decode({
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 4,
      stop_sequences: ["END"],
      metadata: { user_id: "u1" },
      service_tier: "auto",
    });
    expect(turn).toMatchObject({
      origin: "dialect_messages",
      model: "m",
      isStream: true,
      maxOutputTokens: { path: "max_tokens", value: 100 },
      sampling: { temperature: { value: 0.5 }, topP: { value: 0.9 }, topK: { value: 4 } },
      stop: { path: "stop_sequences", value: ["END"] },
      user: { path: "metadata.user_id", value: "u1" },
      serviceTier: { path: "service_tier", value: "auto" },
      extras: [],
    });
    expect(losses).toEqual([]);
  });

  it("pain 31: one stop sequence stays an array", () => {
    expect(decode({ stop_sequences: ["a"] }).turn.stop?.value).toEqual(["a"]);
  });

  it("pain 39: what it does not know is an extra, with its place", () => {
    const { turn } = decode({
      speed: "fast",
      container: null,
      metadata: { other: 1 },
      output_config: { effort: "low", task_budget: { total: 5 } },
    });
    expect(turn.extras).toEqual([
      { name: "speed", path: "speed", value: "fast" },
      { name: "metadata.other", path: "metadata.other", value: 1 },
      { name: "output_config.task_budget", path: "output_config.task_budget", value: { total: 5 } },
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ model: undefined }, "model"],
    [{ model: 7 }, "model"],
    [{ messages: undefined }, "messages"],
    [{ messages: "hi" }, "messages"],
    [{ messages: [7] }, "messages[0]"],
    [{ messages: [{ role: "tool", content: "" }] }, "messages[0].role"],
    [{ messages: [{ role: "user" }] }, "messages[0].content"],
    [user({ type: "text" }), "messages[0].content[0].text"],
    [user({ text: "a" }), "messages[0].content[0].type"],
    [user({ type: "image" }), "messages[0].content[0].source"],
    [user({ type: "image", source: { type: "ftp" } }), "messages[0].content[0].source.type"],
    [user({ type: "tool_result" }), "messages[0].content[0].tool_use_id"],
    [assistant({ type: "tool_use", id: "a", name: "f" }), "messages[1].content[0].input"],
    [
      assistant({ type: "tool_use", id: "a", name: "f", input: "{}" }),
      "messages[1].content[0].input",
    ],
    [{ max_tokens: 1.5 }, "max_tokens"],
    [{ stop_sequences: ["a", 7] }, "stop_sequences[1]"],
    [{ stop_sequences: "a" }, "stop_sequences"],
    [{ system: [{ type: "image" }] }, "system[0].type"],
    [{ thinking: { type: "enabled" } }, "thinking.budget_tokens"],
    [{ thinking: { type: "sometimes" } }, "thinking.type"],
    [{ tools: [{ input_schema: {} }] }, "tools[0].name"],
    [{ tool_choice: { type: "tool" } }, "tool_choice.name"],
    [{ tool_choice: { type: "maybe" } }, "tool_choice.type"],
    [{ tool_choice: "any" }, "tool_choice"],
    [{ output_config: { format: { type: "xml" } } }, "output_config.format.type"],
    [{ output_config: { format: { type: "json_schema" } } }, "output_config.format.schema"],
    [{ temperature: "hot" }, "temperature"],
    [{ metadata: [] }, "metadata"],
  ])("case 10: %j is refused by its place", (fields, param) => {
    expect(refused(fields)).toBe(param);
  });

  it("a cap that is missing is none: only the model is demanded", () => {
    expect(decode({ max_tokens: undefined }).turn.maxOutputTokens).toBeUndefined();
  });
});

describe("system", () => {
  it("text and blocks, and messages before the conversation", () => {
    expect(decode({ system: "a" }).turn.system).toMatchObject([{ path: "system", text: "a" }]);
    const { turn } = decode({
      system: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }],
      messages: [
        { role: "system", content: "b" },
        { role: "user", content: "hi" },
      ],
    });
    expect(turn.system).toEqual([
      {
        type: "text",
        path: "system[0]",
        text: "a",
        cache: { path: "system[0].cache_control", ttl: "1h" },
      },
      { type: "text", path: "messages[0].content", text: "b" },
    ]);
    expect(shapeOf(turn)).toEqual([["user", ["text"]]]);
  });

  it("case 48: one in the middle stays in its place", () => {
    const { turn } = decode({
      messages: [
        { role: "user", content: "a" },
        { role: "system", content: [{ type: "text", text: "rule" }] },
        { role: "user", content: "b" },
      ],
    });
    expect(shapeOf(turn)).toEqual([
      ["user", ["text"]],
      ["system", ["text"]],
      ["user", ["text"]],
    ]);
  });

  it("pain 35: a billing line that changes with every request is left out and told", () => {
    const { turn, losses } = decode({
      system: [
        { type: "text", text: "x-anthropic-billing-header: cc_version=1; cch=af31;" },
        { type: "text", text: "a" },
      ],
    });
    expect(turn.system).toMatchObject([{ text: "a" }]);
    expect(losses).toEqual(["system[0] foreign"]);
  });
});

describe("content", () => {
  const call = { type: "tool_use", id: "a", name: "f", input: { q: 1 } };
  const answered = { type: "tool_result", tool_use_id: "a", content: "ok" };

  it("case 20: results are a message of their own, before the user's", () => {
    const { turn, losses } = decode(
      user(answered, { ...answered, tool_use_id: "b" }, { type: "text", text: "go" }),
    );
    expect(shapeOf(turn)).toEqual([
      ["tool", ["tool-result", "tool-result"]],
      ["user", ["text"]],
    ]);
    expect(losses).toEqual([]);
  });

  it("text before a result goes behind it, and that is told", () => {
    const { turn, losses } = decode(user({ type: "text", text: "go" }, answered));
    expect(shapeOf(turn)).toEqual([
      ["tool", ["tool-result"]],
      ["user", ["text"]],
    ]);
    expect(losses).toEqual(["messages[0].content[0] position"]);
  });

  it("case 21: an error of a tool is one", () => {
    const { turn } = decode(user({ ...answered, is_error: true }));
    expect(turn.messages[0]?.parts[0]).toMatchObject({ type: "tool-result", isError: true });
  });

  it("pain 27: a result with text, image, document and search result", () => {
    const content = [
      { type: "text", text: "see" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "doc" },
        title: "t",
      },
      {
        type: "search_result",
        source: "https://a.example",
        title: "A",
        content: [{ type: "text", text: "found" }],
      },
    ];
    const { turn } = decode(user({ ...answered, content }));
    expect(turn.messages[0]?.parts).toMatchObject([
      {
        content: [
          { type: "text", text: "see" },
          {
            type: "image",
            source: { kind: "data", mediaType: "image/png", base64: "iVBO" },
            sourcePath: "messages[0].content[0].content[1].source.data",
          },
          { type: "file", name: "t", source: { kind: "text", text: "doc" } },
          { type: "search-result", source: "https://a.example", title: "A", texts: ["found"] },
        ],
      },
    ]);
  });

  it("a result may be empty", () => {
    const { turn } = decode(user({ type: "tool_result", tool_use_id: "a" }));
    expect(turn.messages[0]?.parts[0]).toMatchObject({ content: [] });
  });

  it("input becomes JSON text, once", () => {
    const { turn } = decode(assistant(call));
    expect(turn.messages[1]?.parts).toMatchObject([
      { type: "tool-call", id: "a", name: "f", arguments: '{"q":1}' },
    ]);
  });

  it.each([
    [
      { type: "url", url: "https://a.example/x.pdf" },
      { kind: "url", url: "https://a.example/x.pdf" },
    ],
    [
      { type: "file", file_id: "file_1" },
      { kind: "file", id: "file_1" },
    ],
    [
      { type: "base64", media_type: "application/pdf", data: "JVBE" },
      { kind: "data", mediaType: "application/pdf", base64: "JVBE" },
    ],
  ])("a document by %j", (source, read) => {
    const { turn } = decode(user({ type: "document", source, context: "c" }));
    expect(turn.messages[0]?.parts[0]).toMatchObject({ type: "file", source: read, context: "c" });
  });

  it("a document of texts is one text; of images, too, its blocks", () => {
    const text = { type: "text", text: "a" };
    const image = { type: "image", source: { type: "url", url: "https://a.example/x.png" } };
    const document = (...content: readonly JsonObject[]) =>
      user({ type: "document", source: { type: "content", content } });
    expect(decode(document(text, text)).turn.messages[0]?.parts).toMatchObject([
      { type: "file", source: { kind: "text", text: "a\n\na" } },
    ]);
    const { turn, losses } = decode(document(text, image));
    expect(shapeOf(turn)).toEqual([["user", ["text", "image"]]]);
    expect(losses).toEqual(["messages[0].content[0] wrapped"]);
  });

  it("blocks of the vendor's own tools are opaque", () => {
    const { turn } = decode(
      assistant({ type: "server_tool_use", id: "s", name: "web_search", input: {} }),
    );
    expect(turn.messages[1]?.parts).toMatchObject([
      { type: "opaque", dialect: "dialect_messages", name: "server_tool_use" },
    ]);
  });
});

describe("thinking in the history", () => {
  it("pain 17: a vendor's own signature is kept byte for byte", () => {
    const { turn } = decode(assistant({ type: "thinking", thinking: " hm\n", signature: "a+/=" }));
    expect(turn.messages[1]?.parts).toEqual([
      {
        type: "reasoning",
        path: "messages[1].content[0]",
        texts: [" hm\n"],
        seal: { dialect: "dialect_messages", kind: "thinking", signature: "a+/=" },
      },
    ]);
  });

  it("our envelope opens to what the other vendor gave", () => {
    const seal = {
      dialect: "dialect_responses",
      kind: "encrypted",
      id: "rs_1",
      encryptedContent: "enc",
    } as const;
    const signature = envelopeOf().seal(seal, ["one", "two"]);
    const { turn } = decode(assistant({ type: "thinking", thinking: "", signature }));
    expect(turn.messages[1]?.parts).toMatchObject([{ texts: ["one", "two"], seal }]);
  });

  it("case 41: an envelope of another model, and thinking without a signature, are dropped", () => {
    const seal = { dialect: "dialect_chat", kind: "plain" } as const;
    const signature = envelopeOf("custom/lab", "other").seal(seal, ["hm"]);
    const { turn, losses } = decode(
      assistant(
        { type: "thinking", thinking: "hm", signature },
        { type: "thinking", thinking: "hm", signature: "" },
        { type: "text", text: "a" },
      ),
    );
    expect(shapeOf(turn)[1]).toEqual(["assistant", ["text"]]);
    expect(losses).toEqual(["messages[1].content[0] foreign", "messages[1].content[1] foreign"]);
  });

  it("redacted thinking keeps its data", () => {
    const { turn } = decode(assistant({ type: "redacted_thinking", data: "zz==" }));
    expect(turn.messages[1]?.parts).toMatchObject([
      { texts: [], seal: { kind: "redacted", data: "zz==" } },
    ]);
  });
});

describe("controls", () => {
  it.each<[JsonObject, JsonObject]>([
    [
      { thinking: { type: "enabled", budget_tokens: 2048 } },
      { path: "thinking", mode: "budget", budgetTokens: 2048, wantsSeal: true },
    ],
    [
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "xhigh" } },
      { path: "thinking", mode: "adaptive", effort: "xhigh", summary: "summarized" },
    ],
    [{ thinking: { type: "disabled" } }, { path: "thinking", mode: "disabled" }],
    [
      { output_config: { effort: "low" } },
      { path: "output_config.effort", mode: "effort", effort: "low", wantsSeal: true },
    ],
  ])("%j", (fields, control) => {
    expect(decode(fields).turn.reasoning).toMatchObject(control);
  });

  it("thinking between tools is adaptive, and that is told", () => {
    const { turn, losses } = decode({ thinking: { type: "between_tools" } });
    expect(turn.reasoning?.mode).toBe("adaptive");
    expect(losses).toEqual(["thinking.type unsupported"]);
  });

  it.each<[JsonObject, unknown, boolean | undefined]>([
    [{ type: "auto", disable_parallel_tool_use: true }, { kind: "auto" }, false],
    [{ type: "any" }, { kind: "required" }, undefined],
    [{ type: "tool", name: "f" }, { kind: "tool", name: "f" }, undefined],
    [{ type: "none" }, { kind: "none" }, undefined],
  ])("tool_choice %j", (choice, read, parallel) => {
    const { turn } = decode({ tool_choice: choice });
    expect(turn.toolChoice).toMatchObject(read as object);
    expect(turn.parallelToolCalls).toBe(parallel);
  });

  it("case 27: only the schema is a tool's parameters", () => {
    const { turn } = decode({
      tools: [
        {
          type: "custom",
          name: "f",
          input_schema: { type: "object" },
          defer_loading: true,
          input_examples: [{}],
        },
        { type: "web_search_20260318", name: "web_search" },
      ],
    });
    expect(turn.tools).toMatchObject([
      {
        type: "function",
        parameters: { type: "object" },
        extras: [
          { name: "defer_loading", path: "tools[0].defer_loading" },
          { name: "input_examples", path: "tools[0].input_examples" },
        ],
      },
      { type: "hosted", name: "web_search_20260318", path: "tools[1]" },
    ]);
  });

  it.each(["output_format", "output_config"])("case 46: %s, its schema untouched", (name) => {
    const schema = { type: "object", properties: { a: {}, b: {} }, required: ["a"] };
    const format = { type: "json_schema", schema };
    const fields = name === "output_format" ? { [name]: format } : { [name]: { format } };
    expect(decode(fields).turn.format).toMatchObject({ kind: "schema", schema });
  });
});

describe("versions", () => {
  const newer = { "anthropic-version": "2026-10-21" };
  const older = { "anthropic-version": "2023-06-01" };
  const document = assistant({
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "a" },
  });
  const cited = user({ type: "text", text: "a", citations: [{ type: "char_location" }] });

  it.each<[string, JsonObject, string]>([
    ["temperature", { temperature: 1 }, "temperature"],
    ["top_p", { top_p: 1 }, "top_p"],
    ["top_k", { top_k: 1 }, "top_k"],
    ["a document of the assistant", document, "messages[1].content[0].type"],
    ["citations of the user", cited, "messages[0].content[0].citations"],
  ])("2026-10-21 has no %s; 2023-06-01 and no version have it", (_name, fields, param) => {
    expect(refused(fields, newer)).toBe(param);
    expect(refused(fields, older)).toBeUndefined();
    expect(refused(fields)).toBeUndefined();
  });

  it("pain 39: betas are dropped and told", () => {
    expect(decode({}, { "anthropic-beta": "x-1,y-2" }).losses).toEqual([
      "headers.anthropic-beta unsupported",
    ]);
  });
});
