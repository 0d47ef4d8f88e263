/** What a model is told of what a tool of an MCP server answered (docs/agent-tools.md). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretRedactor } from "../../../src/agent/tools/result/redact-secrets.ts";
import { convertMcpToolResult } from "../../../src/agent/tools/result/read-mcp-result.ts";

const kibibytes256 = 256 * 1024;
const note = expect.stringContaining("what comes beyond 256 KiB is left out");
const png = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };

function output(result: Record<string, unknown>, wasCut = false) {
  return convertMcpToolResult({ result, isTruncated: wasCut }, createSecretRedactor({}));
}

function texts(result: Record<string, unknown>, wasCut = false) {
  return output(result, wasCut).output.map((part) => part["text"]);
}

function text(words: string) {
  return { type: "text", text: words };
}

describe("structured content", () => {
  it("is redacted before its texts are escaped", () => {
    const scrub = createSecretRedactor({ "x-key": 'se"cret' });
    const result = { structuredContent: { a: ['my se"cret here'] } };
    const { output: parts } = convertMcpToolResult({ result, isTruncated: false }, scrub);
    expect(parts.map((part) => part["text"])).toEqual(['{"a":["my [redacted] here"]}']);
  });
});

describe("an answer that was cut within a secret", () => {
  const redact = createSecretRedactor({ authorization: "Bearer s3cret-token" });
  const beginnings = ["s", "s3cret-", "s3cret-toke", "Bearer s3cret-toke"];

  it.each(beginnings)("does not show its beginning, %s", (beginning) => {
    const said = `${"x".repeat(100)}${beginning}`;
    for (const result of [
      { content: [text("s3cret-token, I say"), text(said)] },
      { content: [{ type: "resource", resource: { uri: "a:b", text: said } }] },
      { structuredContent: { a: [{ b: said }] } },
    ]) {
      const told = JSON.stringify(convertMcpToolResult({ result, isTruncated: true }, redact));
      expect(told).toContain("xxx");
      expect(told).not.toMatch(/xs|s3c|Bea/);
    }
  });
});

describe("content", () => {
  it("is told in its order: texts as one, pictures as pictures", () => {
    const content = [text("a"), text("b"), png, text("c")];
    expect(output({ content })).toEqual({
      isError: false,
      output: [
        { type: "input_text", text: "a\nb" },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
        { type: "input_text", text: "c" },
      ],
    });
  });

  it.each([
    [{ type: "resource_link", uri: "file:///a", name: "A" }, "[resource] A – file:///a"],
    [{ type: "resource", resource: { uri: "file:///a", text: "b" } }, "[resource] file:///a\nb"],
    [
      { type: "resource", resource: { uri: "file:///a", blob: "AA==" } },
      "[The tool answered with a resource that is no text.]",
    ],
    [
      { type: "audio", data: "AA==", mimeType: "audio/wav" },
      "[The tool answered with a sound, which cannot be shown here.]",
    ],
    [{ type: "hologram" }, "[The tool answered with content of a kind that cannot be shown here.]"],
    [
      { ...png, mimeType: "image/svg+xml" },
      "[The tool answered with a picture in a form that cannot be shown here.]",
    ],
    [
      { ...png, data: "https://x.example/" },
      "[The tool answered with a picture in a form that cannot be shown here.]",
    ],
    [null, "[The tool answered with something that is no content of MCP.]"],
  ])("the block %j is told as text", (block, told) => {
    expect(texts({ content: [block] })).toEqual([told]);
  });

  it.each([[{}], [{ content: "text" }], [{ content: [] }], [{ content: [text("")] }]])(
    "of the result %j says that there is none",
    (result) => {
      expect(texts(result)).toEqual(["[The tool answered nothing.]"]);
    },
  );

  it("is an error when the tool says so", () => {
    expect(output({ content: [], isError: true })).toMatchObject({ isError: true });
    expect(output({ content: [], isError: "yes" })).toMatchObject({ isError: false });
  });
});

describe("structured content", () => {
  it("is told as JSON where there is no text", () => {
    const structuredContent = { temperature: 20 };
    expect(texts({ content: [], structuredContent })).toEqual(['{"temperature":20}']);
    expect(texts({ content: [text("20 degrees")], structuredContent })).toEqual(["20 degrees"]);
  });

  it("that no stack can hold is a note", () => {
    const structuredContent: unknown = JSON.parse("[".repeat(200_000) + "]".repeat(200_000));
    expect(texts({ structuredContent })).toEqual(["[structured content that is nested too deep]"]);
  });
});

describe("256 KiB", () => {
  it("are told whole, and one byte more is cut, with a note", () => {
    const whole = "x".repeat(kibibytes256);
    expect(texts({ content: [text(whole)] })).toEqual([whole]);
    expect(texts({ content: [text(`${whole}y`)] })).toEqual([whole, note]);
  });

  it("[agent.tools-results] hold for texts, pictures and structured content together", () => {
    const big = { ...png, data: "A".repeat(kibibytes256 - 100) };
    expect(output({ content: [text("a"), big, text("y".repeat(200))] }).output).toMatchObject([
      { text: "a" },
      { type: "input_image" },
      { text: "y".repeat(98) },
      { text: note },
    ]);
    const structuredContent = { text: "x".repeat(kibibytes256) };
    expect(texts({ structuredContent })).toEqual([expect.stringMatching(/^\{"text":"x+$/), note]);
  });

  it("leave no room for a picture that is larger, which is named", () => {
    const content = [text("a"), { ...png, data: "A".repeat(kibibytes256) }, png];
    expect(output({ content }).output).toMatchObject([
      { text: "a\n[The tool answered with a picture for which there is no room here.]" },
      { type: "input_image" },
    ]);
  });

  it("are not all when the answer was cut on its way", () => {
    expect(texts({ content: [text("a")] }, true)).toEqual(["a", note]);
  });

  it("are never passed, and no character is cut in two", () => {
    const block = fc.record({
      type: fc.constant("text"),
      text: fc.string({ unit: "binary", maxLength: 10 }).map((unit) => unit.repeat(20_000)),
    });
    const check = (content: { type: string; text: string }[]): void => {
      const told = texts({ content }).filter((part) => typeof part === "string");
      const bytes = Buffer.byteLength(told.join(""));
      expect(bytes).toBeLessThanOrEqual(kibibytes256 + 200);
      expect(told.every((part) => part.isWellFormed())).toBe(true);
    };
    fc.assert(fc.property(fc.array(block, { maxLength: 4 }), check), { numRuns: 50 });
  });
});
