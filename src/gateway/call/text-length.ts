import { asArrayOrEmpty, asObject, asString } from "../../dialect/json.ts";

/**
 * Code points of all text in the messages of a messages-dialect body: string contents,
 * `text` and `thinking` of blocks, contents of tool results; not tool inputs, names, ids or
 * base64.
 */
export function messagesTextLength(messages: readonly unknown[]): number {
  return sum(messages.map((message) => contentLength(asObject(message)?.["content"])));
}

/** Estimated tokens of a text of so many code points. */
export function estimateTextTokens(countCodePoints: number): number {
  return Math.ceil(countCodePoints / 4);
}

/** Code points of a text: a pair of surrogates is one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    if (isPair(text, at)) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

function isPair(text: string, at: number): boolean {
  const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800;
  return isHigh && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

function contentLength(content: unknown): number {
  if (typeof content === "string") return countCodePoints(content);
  return sum(asArrayOrEmpty(content).map(blockLength));
}

function blockLength(value: unknown): number {
  const block = asObject(value);
  if (block === undefined) return 0;
  const own = textLength(block["text"]) + textLength(block["thinking"]);
  return own + (block["type"] === "tool_result" ? contentLength(block["content"]) : 0);
}

function textLength(value: unknown): number {
  return countCodePoints(asString(value) ?? "");
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total + length, 0);
}
