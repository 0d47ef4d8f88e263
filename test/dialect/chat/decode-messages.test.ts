import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { placeToolResultsAfterCalls } from "../../../src/dialect/pair-tool-results.ts";
import type { NeutralPart } from "../../../src/dialect/neutral-request.ts";
import { decode } from "./contexts.ts";

const hello = { role: "user", content: "hi" };

function read(rest: JsonObject = {}) {
  return decode({ model: "m", messages: [hello], ...rest }).turn;
}

function readMessages(...messages: readonly JsonObject[]) {
  return decode({ model: "m", messages }).turn;
}

/** Parts of one message. */
function partsOf(message: JsonObject): readonly NeutralPart[] {
  return readMessages({ role: "user", content: "q" }, message).messages[1]?.parts ?? [];
}

function refusal(param: string) {
  return expect.objectContaining({ code: "invalid_request", param }) as Error;
}

describe("messages of a chat request", () => {
  it("takes leading system messages for the turn's system, one part each", () => {
    const { system, messages } = readMessages(
      { role: "system", content: "a" },
      {
        role: "developer",
        content: [
          { type: "text", text: "b" },
          { type: "text", text: "c" },
        ],
      },
      hello,
      { role: "system", content: "later" },
    );
    expect(system).toMatchObject([
      { path: "messages[0].content", text: "a" },
      { path: "messages[1].content[0]", text: "b" },
      { path: "messages[1].content[1]", text: "c" },
    ]);
    expect(messages.map(({ role, path }) => [role, path])).toEqual([
      ["user", "messages[2]"],
      ["system", "messages[3]"],
    ]);
  });

  it("keeps names, and tells where it cannot", () => {
    const { turn, losses } = decode({
      model: "m",
      messages: [
        { role: "system", content: "a", name: "s" },
        { role: "user", content: "b", name: "u" },
      ],
    });
    expect(turn.messages[0]?.name).toBe("u");
    expect(losses).toEqual([
      { path: "messages[0].name", action: "dropped", reason: "unsupported" },
    ]);
  });

  it("[request.unknown-fields] says what it does not know", () => {
    const { losses } = decode({
      model: "m",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a", shiny: 1 },
            { type: "video_url", x: 1 },
          ],
          odd: 1,
        },
        {
          role: "assistant",
          content: "a",
          refusal: null,
          audio: null,
          annotations: [{ type: "url_citation" }],
          parsed: null,
          extra: {},
          empty: [],
          off: false,
          word: "",
          tool_calls: [
            {
              index: 0,
              id: "1",
              function: { name: "f", arguments: "{}" },
              extra_content: { a: 1 },
            },
          ],
        },
        { role: "assistant", content: "b", annotations: [] },
      ],
    });
    expect(losses.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      "messages[0].odd unknown",
      "messages[0].content[0].shiny unknown",
      "messages[1].annotations unsupported",
      "messages[1].tool_calls[0].extra_content unknown",
    ]);
  });

  it("[request.empty-text] an empty content beside calls is no text", () => {
    const tool_calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
    for (const content of ["", null, undefined, []]) {
      expect(partsOf({ role: "assistant", content, tool_calls })).toMatchObject([
        { type: "tool-call" },
      ]);
    }
  });

  it("reads an assistant's words, refusal and calls", () => {
    const message = {
      role: "assistant",
      content: [
        { type: "text", text: "a" },
        { type: "refusal", refusal: "b" },
      ],
      refusal: "c",
      tool_calls: [
        { id: "1", type: "function", function: { name: "f", arguments: "" } },
        { id: "2", type: "custom", custom: { name: "p", input: "text" } },
      ],
    };
    expect(partsOf(message)).toMatchObject([
      { type: "text", text: "a" },
      { type: "refusal", text: "b" },
      { type: "refusal", text: "c", path: "messages[1].refusal" },
      {
        type: "tool-call",
        kind: "function",
        id: "1",
        name: "f",
        arguments: "",
        path: "messages[1].tool_calls[0]",
        argumentsPath: "messages[1].tool_calls[0].function.arguments",
      },
      { type: "tool-call", kind: "custom", id: "2", name: "p", arguments: "text" },
    ]);
  });

  it("[function.results-first] reads results, with images where callers send them", () => {
    const url = "data:image/png;base64,AAAA";
    const { messages } = readMessages(
      hello,
      { role: "assistant", tool_calls: [{ id: "1", function: { name: "f", arguments: "{}" } }] },
      {
        role: "tool",
        tool_call_id: "1",
        content: [
          { type: "text", text: "a" },
          { type: "image_url", image_url: { url } },
        ],
      },
    );
    expect(messages[2]).toMatchObject({
      role: "tool",
      parts: [
        {
          type: "tool-result",
          path: "messages[2]",
          callId: "1",
          isError: false,
          content: [
            { type: "text", text: "a" },
            { type: "image", source: { kind: "data", mediaType: "image/png", base64: "AAAA" } },
          ],
        },
      ],
    });
  });

  it("reads functions and their messages of old", () => {
    const { turn } = decode({
      model: "m",
      functions: [{ name: "f", description: "d", parameters: { type: "object" } }],
      function_call: { name: "f" },
      messages: [
        hello,
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "ok" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "ok" },
      ],
    });
    expect(turn.tools).toMatchObject([{ type: "function", path: "functions[0]", name: "f" }]);
    expect(turn.toolChoice).toEqual({ path: "function_call", kind: "tool", name: "f" });
    expect(turn.parallelToolCalls).toBe(false);
    expect(placeToolResultsAfterCalls(turn).messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
  });
});

describe("parts of a chat request", () => {
  it("reads images by data and by address", () => {
    const data = {
      type: "image_url",
      image_url: { url: "data:image/PNG;base64,AAAA", detail: "low" },
    };
    const address = { type: "image_url", image_url: "https://a.test/x.png" };
    expect(partsOf({ role: "user", content: [data, address] })).toMatchObject([
      {
        type: "image",
        path: "messages[1].content[0]",
        sourcePath: "messages[1].content[0].image_url.url",
        source: { kind: "data", mediaType: "image/png", base64: "AAAA" },
        detail: "low",
      },
      { type: "image", source: { kind: "url", url: "https://a.test/x.png" } },
    ]);
  });

  it("takes the usual misspelling of a media type", () => {
    const image = { type: "image_url", image_url: { url: "data:image/jpg;base64,AAAA" } };
    expect(partsOf({ role: "user", content: [image] })).toMatchObject([
      { source: { mediaType: "image/jpeg" } },
    ]);
  });

  it("refuses a data URL of millions of parameters", () => {
    const url = `data:${";".repeat(20_000_000)}base64,AAAA`;
    const content = [{ type: "image_url", image_url: { url } }];
    expect(() => partsOf({ role: "user", content })).toThrow(
      refusal("messages[1].content[0].image_url.url"),
    );
  });

  it.each([["data:image/svg+xml;base64,AAAA"], ["data:image/png,AAAA"], ["data:;base64,AAAA"]])(
    "[request.image-refused] refuses %s at its exact place",
    (url) => {
      const content = [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url } },
      ];
      expect(() => partsOf({ role: "user", content })).toThrow(
        refusal("messages[1].content[1].image_url.url"),
      );
    },
  );

  it.each<[string, JsonObject, JsonObject]>([
    [
      "a PDF",
      { file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" },
      { name: "a.pdf", source: { kind: "data", mediaType: "application/pdf", base64: "AAAA" } },
    ],
    [
      "bare base64",
      { file_data: "AAAA" },
      { source: { kind: "data", mediaType: "application/pdf" } },
    ],
    [
      "a text",
      { file_data: "data:text/plain;charset=utf-8;base64,R3LDvMOfZQ==", filename: "a.txt" },
      { source: { kind: "text", text: "Grüße" } },
    ],
    [
      "a text by its name",
      { file_data: "YQ==", filename: "a.md" },
      { source: { kind: "text", text: "a" } },
    ],
    [
      "a file of the vendor's",
      { file_id: "file_1" },
      { source: { kind: "file", id: "file_1" }, sourcePath: "messages[1].content[0].file.file_id" },
    ],
  ])("reads files: %s", (_, file, part) => {
    expect(partsOf({ role: "user", content: [{ type: "file", file }] })).toMatchObject([
      { type: "file", ...part },
    ]);
  });

  it("keeps a part that is newer than this code", () => {
    const video = { type: "video_url", video_url: { url: "x" } };
    expect(partsOf({ role: "user", content: [video] })).toMatchObject([
      { type: "opaque", dialect: "dialect_chat", name: "video_url", raw: video },
    ]);
  });

  it("reads cache breakpoints, its own and those of messages", () => {
    const own = { prompt_cache_breakpoint: { mode: "explicit", ttl: "30m" } };
    const foreign = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const { system, messages, tools } = read({
      tools: [{ type: "function", function: { name: "f" }, ...foreign }],
      messages: [
        { role: "system", content: "s", ...foreign },
        {
          role: "user",
          content: [
            { type: "text", text: "a", ...own },
            { type: "text", text: "b" },
          ],
          ...foreign,
        },
      ],
    });
    expect(system[0]?.cache).toEqual({ path: "messages[0].cache_control", ttl: "1h" });
    expect(messages[0]?.parts.map(({ cache }) => cache)).toEqual([
      { path: "messages[1].content[0].prompt_cache_breakpoint", ttl: "30m" },
      { path: "messages[1].cache_control", ttl: "1h" },
    ]);
    expect(tools[0]?.cache?.path).toBe("tools[0].cache_control");
  });
});

describe("thoughts in a chat history", () => {
  it("plain text belongs to chat upstreams", () => {
    for (const field of ["reasoning_content", "reasoning"]) {
      expect(partsOf({ role: "assistant", content: "a", [field]: "hm" })[0]).toEqual({
        type: "reasoning",
        path: `messages[1].${field}`,
        texts: ["hm"],
        encrypted: { dialect: "dialect_chat", kind: "plain" },
      });
    }
  });

  it("plain text may stand in the details alone", () => {
    const reasoning_details = [
      { type: "reasoning.text", text: "h" },
      { type: "reasoning.summary", summary: "m" },
    ];
    expect(partsOf({ role: "assistant", content: "a", reasoning_details })[0]).toMatchObject({
      path: "messages[1].reasoning_details",
      texts: ["hm"],
      encrypted: { kind: "plain" },
    });
  });

  it("[thought.tampered] drops what it did not sign, and says so", () => {
    const message = {
      role: "assistant",
      content: "a",
      reasoning_details: [{ type: "thinking", text: "t", signature: "forged" }],
      thinking_blocks: [{ type: "redacted_thinking", data: "foreign" }],
    };
    const { turn, losses } = decode({ model: "m", messages: [hello, message] });
    expect(turn.messages[1]?.parts).toMatchObject([{ type: "text" }]);
    expect(losses).toEqual([
      { path: "messages[1].reasoning_details[0]", action: "dropped", reason: "foreign" },
      { path: "messages[1].thinking_blocks[0]", action: "dropped", reason: "foreign" },
    ]);
  });
});
