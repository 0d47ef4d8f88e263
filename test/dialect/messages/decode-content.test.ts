import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { assistant, decode, shapeOf, user } from "../../support/messages-caller.ts";

describe("content", () => {
  const call = { type: "tool_use", id: "a", name: "f", input: { q: 1 } };
  const answered = { type: "tool_result", tool_use_id: "a", content: "ok" };

  it("[function.results-first] results are a message of their own, before the user's", () => {
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

  it("[function.error-result] an error of a tool is one", () => {
    const { turn } = decode(user({ ...answered, is_error: true }));
    expect(turn.messages[0]?.parts[0]).toMatchObject({ type: "tool-result", isError: true });
  });

  it("[request.images] a result with text, image, document and search result", () => {
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
  ])("reads a document whose source is %j", (source, read) => {
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
