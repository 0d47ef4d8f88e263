import { jsonByteCodes } from "./byte.ts";
import { skipJsonNumber, startsJsonNumber } from "./end-of-number.ts";
import { findClosingQuoteOffset } from "./end-of-string.ts";
import { JsonSyntaxError, unexpectedByteError } from "./json-syntax-error.ts";
import type { JsonScanBuffer } from "../speed/scan-buffer.ts";

/**
 * Nesting beyond this is refused. Tool schemas reach about thirty; a parser
 * behind us may recurse, and this function does.
 */
export const maxJsonDepth = 256;

/** Where the JSON value that starts at `start` ends: the offset after its last byte. */
export function findJsonValueEnd(text: JsonScanBuffer, start: number, depth: number): number {
  const { bytes } = text;
  switch (bytes[start]) {
    case jsonByteCodes.quote:
      return findClosingQuoteOffset(text, start + 1) + 1;
    case jsonByteCodes.openBrace:
      return endOfObject(text, start + 1, deeper(depth, start));
    case jsonByteCodes.openBracket:
      return endOfArray(text, start + 1, deeper(depth, start));
    case 0x74:
      return endOfWord(bytes, start, "true");
    case 0x66:
      return endOfWord(bytes, start, "false");
    case 0x6e:
      return endOfWord(bytes, start, "null");
    default:
      if (!startsJsonNumber(bytes[start])) throw unexpectedByteError(bytes, start, "a value");
      return skipJsonNumber(bytes, start);
  }
}

/** The first byte from `start` on that is no JSON white space, or the length. */
export function skipJsonWhitespace(bytes: Buffer, start: number): number {
  let position = start;
  while (position < bytes.length && isSpace(bytes[position] ?? 0)) position++;
  return position;
}

/** `start` is a key's opening quote; the answer is where the member's value starts. */
export function skipColonToMemberValue(bytes: Buffer, endOfKey: number): number {
  const colon = skipJsonWhitespace(bytes, endOfKey);
  if (bytes[colon] !== jsonByteCodes.colon) throw unexpectedByteError(bytes, colon, "a colon");
  return skipJsonWhitespace(bytes, colon + 1);
}

function endOfObject(text: JsonScanBuffer, start: number, depth: number): number {
  const { bytes } = text;
  let position = skipJsonWhitespace(bytes, start);
  if (bytes[position] === jsonByteCodes.closeBrace) return position + 1;
  for (;;) {
    if (bytes[position] !== jsonByteCodes.quote)
      throw unexpectedByteError(bytes, position, "a key in quotes");
    const value = skipColonToMemberValue(bytes, findClosingQuoteOffset(text, position + 1) + 1);
    position = skipJsonWhitespace(bytes, findJsonValueEnd(text, value, depth));
    if (bytes[position] === jsonByteCodes.closeBrace) return position + 1;
    if (bytes[position] !== jsonByteCodes.comma)
      throw unexpectedByteError(bytes, position, "a comma or a closing brace");
    position = skipJsonWhitespace(bytes, position + 1);
  }
}

function endOfArray(text: JsonScanBuffer, start: number, depth: number): number {
  const { bytes } = text;
  let position = skipJsonWhitespace(bytes, start);
  if (bytes[position] === jsonByteCodes.closeBracket) return position + 1;
  for (;;) {
    position = skipJsonWhitespace(bytes, findJsonValueEnd(text, position, depth));
    if (bytes[position] === jsonByteCodes.closeBracket) return position + 1;
    if (bytes[position] !== jsonByteCodes.comma)
      throw unexpectedByteError(bytes, position, "a comma or a closing bracket");
    position = skipJsonWhitespace(bytes, position + 1);
  }
}

function endOfWord(bytes: Buffer, start: number, word: string): number {
  for (let index = 1; index < word.length; index++) {
    if (bytes[start + index] !== word.charCodeAt(index))
      throw unexpectedByteError(bytes, start + index, word);
  }
  return start + word.length;
}

function deeper(depth: number, offset: number): number {
  if (depth < maxJsonDepth) return depth + 1;
  throw new JsonSyntaxError("depth", offset, `nested deeper than ${maxJsonDepth} levels`);
}

function isSpace(value: number): boolean {
  return (
    value === jsonByteCodes.space ||
    value === jsonByteCodes.lineFeed ||
    value === jsonByteCodes.carriageReturn ||
    value === jsonByteCodes.tab
  );
}
