import { byte } from "./byte.ts";
import { endOfNumber, startsNumber } from "./end-of-number.ts";
import { endOfString } from "./end-of-string.ts";
import { JsonSyntaxError, unexpected } from "./json-syntax-error.ts";
import type { ScannedText } from "../speed/scanned-text.ts";

/**
 * Nesting beyond this is refused. Tool schemas reach about thirty; a parser
 * behind us may recurse, and this function does.
 */
export const maxDepth = 256;

/** Where the JSON value that starts at `start` ends: the offset after its last byte. */
export function endOfValue(text: ScannedText, start: number, depth: number): number {
  const { bytes } = text;
  switch (bytes[start]) {
    case byte.quote:
      return endOfString(text, start + 1) + 1;
    case byte.openBrace:
      return endOfObject(text, start + 1, deeper(depth, start));
    case byte.openBracket:
      return endOfArray(text, start + 1, deeper(depth, start));
    case 0x74:
      return endOfWord(bytes, start, "true");
    case 0x66:
      return endOfWord(bytes, start, "false");
    case 0x6e:
      return endOfWord(bytes, start, "null");
    default:
      if (!startsNumber(bytes[start])) throw unexpected(bytes, start, "a value");
      return endOfNumber(bytes, start);
  }
}

/** The first byte from `start` on that is no JSON white space, or the length. */
export function afterSpace(bytes: Buffer, start: number): number {
  let position = start;
  while (position < bytes.length && isSpace(bytes[position] ?? 0)) position++;
  return position;
}

/** `start` is a key's opening quote; the answer is where the member's value starts. */
export function startOfMemberValue(bytes: Buffer, endOfKey: number): number {
  const colon = afterSpace(bytes, endOfKey);
  if (bytes[colon] !== byte.colon) throw unexpected(bytes, colon, "a colon");
  return afterSpace(bytes, colon + 1);
}

function endOfObject(text: ScannedText, start: number, depth: number): number {
  const { bytes } = text;
  let position = afterSpace(bytes, start);
  if (bytes[position] === byte.closeBrace) return position + 1;
  for (;;) {
    if (bytes[position] !== byte.quote) throw unexpected(bytes, position, "a key in quotes");
    const value = startOfMemberValue(bytes, endOfString(text, position + 1) + 1);
    position = afterSpace(bytes, endOfValue(text, value, depth));
    if (bytes[position] === byte.closeBrace) return position + 1;
    if (bytes[position] !== byte.comma)
      throw unexpected(bytes, position, "a comma or a closing brace");
    position = afterSpace(bytes, position + 1);
  }
}

function endOfArray(text: ScannedText, start: number, depth: number): number {
  const { bytes } = text;
  let position = afterSpace(bytes, start);
  if (bytes[position] === byte.closeBracket) return position + 1;
  for (;;) {
    position = afterSpace(bytes, endOfValue(text, position, depth));
    if (bytes[position] === byte.closeBracket) return position + 1;
    if (bytes[position] !== byte.comma)
      throw unexpected(bytes, position, "a comma or a closing bracket");
    position = afterSpace(bytes, position + 1);
  }
}

function endOfWord(bytes: Buffer, start: number, word: string): number {
  for (let index = 1; index < word.length; index++) {
    if (bytes[start + index] !== word.charCodeAt(index))
      throw unexpected(bytes, start + index, word);
  }
  return start + word.length;
}

function deeper(depth: number, offset: number): number {
  if (depth < maxDepth) return depth + 1;
  throw new JsonSyntaxError("depth", offset, `nested deeper than ${maxDepth} levels`);
}

function isSpace(value: number): boolean {
  return (
    value === byte.space ||
    value === byte.lineFeed ||
    value === byte.carriageReturn ||
    value === byte.tab
  );
}
