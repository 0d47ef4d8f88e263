import { describe, expect, it } from "vitest";
import {
  calls,
  fromChat,
  fromResponses,
  messagesOf,
  result,
} from "../../support/messages-upstream.ts";
import { refusedParam } from "../../support/transcoding.ts";

describe("media", () => {
  const image = (url: string, detail?: string) => ({
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url, detail } }] }],
  });

  it("[request.images] an image of the user", () => {
    const { warnings, ...sent } = fromChat(image("data:image/png;base64,iVBORw0K", "high"));
    expect(messagesOf(sent)[0]?.content).toEqual([
      {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: "iVBORw0K" },
      },
    ]);
    expect(warnings).toEqual(["messages[0].content[0].image_url.detail dropped unsupported"]);
  });

  it("an image by its address", () => {
    expect(messagesOf(fromChat(image("https://a.example/x.png")))[0]?.content).toEqual([
      { type: "image", source: { type: "url", url: "https://a.example/x.png" } },
    ]);
  });

  it.each(["data:image/svg+xml;base64,PHN2Zz4=", "http://a.example/x.png"])(
    "[request.image-refused] refuses an image at %s by its place",
    (url) => {
      expect(refusedParam(() => fromChat(image(url)))).toBe("messages[0].content[0].image_url.url");
    },
  );

  it("[request.images] an image in a result", () => {
    const content = [
      { type: "text", text: "see" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0K" } },
    ];
    const messages = [{ role: "user", content: "hi" }, calls("a"), result("a", content)];
    expect(messagesOf(fromChat({ messages }))[2]?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "a",
        content: [
          { type: "text", text: "see" },
          {
            type: "image",
            source: { type: "base64", media_type: "image/png", data: "iVBORw0K" },
          },
        ],
      },
    ]);
  });

  it("[request.files] a PDF and a file by its address", () => {
    const input = [
      {
        role: "user",
        content: [
          {
            type: "input_file",
            filename: "a.pdf",
            file_data: "data:application/pdf;base64,JVBERi0=",
          },
          { type: "input_file", file_url: "https://a.example/b.pdf" },
        ],
      },
    ];
    expect(messagesOf(fromResponses({ input }))[0]?.content).toEqual([
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
        title: "a.pdf",
      },
      { type: "document", source: { type: "url", url: "https://a.example/b.pdf" } },
    ]);
  });

  it("plain text is a document of text", () => {
    const file = { filename: "a.txt", file_data: "data:text/plain;base64,R3LDvMOfZQ==" };
    const messages = [{ role: "user", content: [{ type: "file", file }] }];
    expect(messagesOf(fromChat({ messages }))[0]?.content).toEqual([
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "Grüße" },
        title: "a.txt",
      },
    ]);
  });

  it("a file at another vendor is refused", () => {
    const input = [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }];
    expect(refusedParam(() => fromResponses({ input }))).toBe("input[0].content[0].file_id");
  });
});
