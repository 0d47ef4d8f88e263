import { jsonByteCodes } from "./byte.ts";
import { type JsonSyntaxError, unexpectedByteError } from "./json-syntax-error.ts";
import type { JsonScanBuffer } from "../speed/scan-buffer.ts";
import { jsonStringStopByteTable, shortEscapeLetterFlagTable } from "./string-bytes.ts";

/** Stands for the byte behind the last. */
const endOfBytes = 0x00;

/**
 * Where a JSON string ends. `start` is the byte after the opening quote; the
 * answer is the offset of the closing quote. Raw control characters, unknown
 * escapes and a missing quote are refused; UTF-8 is not looked at here.
 */
export function findClosingQuoteOffset(text: JsonScanBuffer, start: number): number {
  const { bytes } = text;
  let position = start;
  for (;;) {
    position = endOfRun(bytes, text.afterPlain(position));
    const found = bytes[position];
    if (found === jsonByteCodes.quote) return position;
    if (found === jsonByteCodes.backslash) position = afterEscape(bytes, position);
    else if (found === undefined || found < jsonByteCodes.space)
      throw badStringByte(bytes, position);
  }
}

/** Offset of the first byte from `start` on that ends a run of plain bytes, or the length. */
function endOfRun(bytes: Buffer, start: number): number {
  let position = start;
  while (jsonStringStopByteTable[bytes[position] ?? endOfBytes] === 0) position++;
  return position;
}

/** `position` is a backslash; the answer is the offset after the whole escape. */
function afterEscape(bytes: Buffer, position: number): number {
  const letter = bytes[position + 1] ?? 0;
  if (shortEscapeLetterFlagTable[letter] === 1) return position + 2;
  if (letter !== jsonByteCodes.lowerU)
    throw unexpectedByteError(bytes, position + 1, "a known escape");
  return afterHexDigits(bytes, position + 2);
}

function afterHexDigits(bytes: Buffer, start: number): number {
  for (let position = start; position < start + 4; position++) {
    if (!isHexDigit(bytes[position] ?? 0))
      throw unexpectedByteError(bytes, position, "four hexadecimal digits");
  }
  return start + 4;
}

function isHexDigit(value: number): boolean {
  const lower = value | 0x20;
  return (
    (value >= jsonByteCodes.zero && value <= jsonByteCodes.nine) || (lower >= 0x61 && lower <= 0x66)
  );
}

function badStringByte(bytes: Buffer, position: number): JsonSyntaxError {
  const isOpen = position >= bytes.length;
  const expected = isOpen ? "a closing quote" : "no raw control character in a string";
  return unexpectedByteError(bytes, position, expected);
}
