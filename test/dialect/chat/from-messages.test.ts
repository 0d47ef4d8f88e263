import { describe, expect, it } from "vitest";
import type { ModelCapabilities } from "../../../src/dialect/capabilities.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import { openEnvelope } from "./contexts.ts";
import { refusal, writeFrom } from "./from-caller.ts";

/** A messages caller's body for a chat upstream. */
function write(rest: JsonObject, capabilities: Partial<ModelCapabilities> = {}) {
  const body = { max_tokens: 100, messages: [{ role: "user", content: "q" }], ...rest };
  return writeFrom(messagesCodec, body, capabilities);
}

const question = { role: "user", content: "q" };

/** The wire messages for a conversation that begins with a question. */
function conversation(...messages: readonly JsonObject[]) {
  return write({ messages: [question, ...messages] });
}

function use(id: string, name = "f") {
  return { type: "tool_use", id, name, input: { x: 1 } };
}

function result(id: string, content: unknown, rest: JsonObject = {}) {
  return { type: "tool_result", tool_use_id: id, content, ...rest };
}

const png = { type: "base64", media_type: "image/png", data: "AAAA" };
const image = { type: "image", source: png };
const pdf = { type: "base64", media_type: "application/pdf", data: "AAAA" };
const dataUrl = "data:image/png;base64,AAAA";

describe("results of tools, from messages to chat", () => {
  it("[function.results-first] results first, then what the user says", () => {
    const { body } = conversation(
      { role: "assistant", content: [{ type: "text", text: "a" }, use("A"), use("B")] },
      {
        role: "user",
        content: [
          result("A", "1"),
          result("B", [{ type: "text", text: "2" }]),
          { type: "text", text: "u" },
        ],
      },
    );
    expect(body.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: "a",
        tool_calls: ["A", "B"].map((id) => ({
          id,
          type: "function",
          function: { name: "f", arguments: '{"x":1}' },
        })),
      },
      { role: "tool", tool_call_id: "A", content: "1" },
      { role: "tool", tool_call_id: "B", content: "2" },
      { role: "user", content: "u" },
    ]);
  });

  it("[function.error-result] marks an error", () => {
    const { body, warnings } = conversation(
      { role: "assistant", content: [use("A")] },
      { role: "user", content: [result("A", "no such file", { is_error: true })] },
    );
    expect(body.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "[tool_error] no such file",
    });
    expect(warnings).toEqual(["messages[2].content[0].is_error approximated wrapped"]);
  });

  it("[request.images] [function.image-results] puts images behind the last result", () => {
    const { body, warnings } = conversation(
      { role: "assistant", content: [use("A"), use("B")] },
      {
        role: "user",
        content: [result("A", [{ type: "text", text: "1" }, image]), result("B", [image])],
      },
    );
    expect(body.messages.slice(2)).toEqual([
      { role: "tool", tool_call_id: "A", content: "1" },
      { role: "tool", tool_call_id: "B", content: "[see the attachment]" },
      {
        role: "user",
        content: [
          { type: "text", text: "attachment of A" },
          { type: "image_url", image_url: { url: dataUrl } },
          { type: "text", text: "attachment of B" },
          { type: "image_url", image_url: { url: dataUrl } },
        ],
      },
    ]);
    expect(warnings).toEqual([
      "messages[2].content[0].content[1] approximated position",
      "messages[2].content[1].content[0] approximated position",
    ]);
  });

  it("puts files behind, too, and texts of documents into the result", () => {
    const text = { type: "text", media_type: "text/plain", data: "body" };
    const { body } = conversation(
      { role: "assistant", content: [use("A")] },
      {
        role: "user",
        content: [
          result("A", [
            { type: "document", source: text, title: "T" },
            { type: "document", source: pdf, title: "t.pdf" },
            {
              type: "search_result",
              source: "http://a.test",
              title: "S",
              content: [{ type: "text", text: "found" }],
            },
          ]),
        ],
      },
    );
    expect(body.messages.slice(2)).toEqual([
      { role: "tool", tool_call_id: "A", content: "T\nbody\nS\nhttp://a.test\nfound" },
      {
        role: "user",
        content: [
          { type: "text", text: "attachment of A" },
          {
            type: "file",
            file: { filename: "t.pdf", file_data: "data:application/pdf;base64,AAAA" },
          },
        ],
      },
    ]);
  });

  it("[function.pairs] refuses what does not pair", () => {
    const called = { role: "assistant", content: [use("A")] };
    expect(() => conversation(called, question)).toThrow(refusal("messages[1]"));
    expect(() => conversation({ role: "user", content: [result("A", "1")] })).toThrow(
      refusal("messages[1].content[0]"),
    );
  });

  it("says text first where it came behind a call", () => {
    const { body, warnings } = conversation(
      { role: "assistant", content: [use("A"), { type: "text", text: "late" }] },
      { role: "user", content: [result("A", "1")] },
    );
    expect(body.messages[1]).toMatchObject({ content: "late", tool_calls: [{ id: "A" }] });
    expect(warnings).toEqual(["messages[1].content[1] approximated position"]);
  });
});

describe("content, from messages to chat", () => {
  it("[request.system-in-the-middle] keeps a system message where it stands, for the vendor's own server", () => {
    const messages = [
      question,
      { role: "assistant", content: [use("A")] },
      { role: "user", content: [result("A", "1")] },
      { role: "system", content: "be brief" },
      question,
    ];
    const { body, warnings } = write({ messages }, { midConversationSystem: "native" });
    expect(body.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "system",
      "user",
    ]);
    expect(warnings).toEqual([]);
  });

  it("[request.system-in-the-middle] moves it to the front for strict templates, and says so", () => {
    const messages = [question, { role: "system", content: "be brief" }, question];
    const { body, warnings } = write({ system: "s", messages }, { midConversationSystem: "hoist" });
    expect(body.messages).toEqual([
      { role: "system", content: "s\n\nbe brief" },
      question,
      question,
    ]);
    expect(warnings).toEqual(["messages[1] approximated position"]);
  });

  it("joins system blocks by a blank line, without the billing line", () => {
    const system = ["x-anthropic-billing-header: cch=1", "a", "b"].map((text) => ({
      type: "text",
      text,
    }));
    const { body, warnings } = write({ system });
    expect(body.messages[0]).toEqual({ role: "system", content: "a\n\nb" });
    expect(warnings).toEqual(["system[0] dropped foreign"]);
  });

  it("writes texts, images and files", () => {
    const content = [
      { type: "text", text: "look" },
      image,
      { type: "image", source: { type: "url", url: "https://a.test/x.png" } },
      { type: "document", source: pdf, title: "t.pdf", context: "c", citations: { enabled: true } },
      { type: "document", source: pdf },
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "body" },
        title: "T",
        context: "c",
      },
      {
        type: "search_result",
        source: "http://a.test",
        title: "S",
        content: [{ type: "text", text: "found" }],
      },
    ];
    const { body, warnings } = write({ messages: [{ role: "user", content }] });
    const file_data = "data:application/pdf;base64,AAAA";
    expect(body.messages[0]?.["content"]).toEqual([
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: dataUrl } },
      { type: "image_url", image_url: { url: "https://a.test/x.png" } },
      { type: "text", text: "c" },
      { type: "file", file: { filename: "t.pdf", file_data } },
      { type: "file", file: { filename: "document.pdf", file_data } },
      { type: "text", text: "T\nc\nbody" },
      { type: "text", text: "S\nhttp://a.test\nfound" },
    ]);
    expect(warnings).toEqual([
      "messages[0].content[3].citations dropped unsupported",
      "messages[0].content[6] approximated wrapped",
    ]);
  });

  it.each<[string, string, JsonObject]>([
    [
      "[request.documents-by-address] a document by its address",
      "messages[0].content[0].source.url",
      { type: "document", source: { type: "url", url: "http://a.test/x.pdf" } },
    ],
    [
      "a file of the vendor's",
      "messages[0].content[0].source.file_id",
      { type: "image", source: { type: "file", file_id: "f" } },
    ],
    [
      "a block of the vendor's",
      "messages[0].content[0]",
      { type: "container_upload", file_id: "f" },
    ],
  ])("refuses %s", (_, param, block) => {
    expect(() => write({ messages: [{ role: "user", content: [block] }] })).toThrow(refusal(param));
  });

  it("refuses server tools of the history, and a begun answer", () => {
    const block = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    expect(() => conversation({ role: "assistant", content: [block] }, question)).toThrow(
      refusal("messages[1].content[0]"),
    );
    expect(() => conversation({ role: "assistant", content: "Once upon" })).toThrow(
      refusal("messages"),
    );
  });

  it("drops what an answer cited", () => {
    const citations = [{ type: "char_location", cited_text: "x" }];
    const { body, warnings } = conversation(
      { role: "assistant", content: [{ type: "text", text: "a", citations }] },
      question,
    );
    expect(body.messages[1]).toEqual({ role: "assistant", content: "a" });
    expect(warnings).toEqual(["messages[1].content[0].citations dropped unsupported"]);
  });
});

describe("thoughts, from messages to chat", () => {
  const plain = openEnvelope.seal({ dialect: "dialect_chat", kind: "plain" }, ["hm"]);
  const thinking = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: plain },
      { type: "text", text: "a" },
    ],
  };

  it("never become visible text", () => {
    const { body, warnings } = conversation(thinking, question);
    expect(body.messages[1]).toEqual({ role: "assistant", content: "a" });
    expect(warnings).toEqual(["messages[1].content[0] dropped unsupported"]);
  });

  it("go back to a server that wants them", () => {
    const { body, warnings } = write(
      { messages: [question, thinking, question] },
      { reasoningEcho: true },
    );
    expect(body.messages[1]).toEqual({ role: "assistant", content: "a", reasoning_content: "hm" });
    expect(warnings).toEqual([]);
  });

  it("go back in their order", () => {
    const more = {
      ...thinking.content[0],
      signature: openEnvelope.seal({ dialect: "dialect_chat", kind: "plain" }, ["so"]),
    };
    const message = {
      role: "assistant",
      content: [thinking.content[0], more, { type: "text", text: "a" }],
    };
    const { body } = write({ messages: [question, message, question] }, { reasoningEcho: true });
    expect(body.messages[1]?.["reasoning_content"]).toBe("hm\n\nso");
  });

  it("[thought.tampered] [thought.other-vendor] those of another vendor never go there", () => {
    const seal = { dialect: "dialect_messages", kind: "thinking", signature: "s" } as const;
    const foreign = { ...thinking.content[0], signature: openEnvelope.seal(seal, ["hm"]) };
    const message = { role: "assistant", content: [foreign, { type: "text", text: "a" }] };
    const { body, warnings } = write(
      { messages: [question, message, question] },
      { reasoningEcho: true },
    );
    expect(JSON.stringify(body)).not.toContain("hm");
    expect(warnings).toEqual(["messages[1].content[0] dropped foreign"]);
  });

  it("alone leave no message behind", () => {
    const only = { role: "assistant", content: thinking.content.slice(0, 1) };
    expect(conversation(only, question).body.messages).toEqual([question, question]);
  });
});
