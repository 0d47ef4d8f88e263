import { byte } from "./byte.ts";
import { type JsonSyntaxError, unexpected } from "./json-syntax-error.ts";

/** From this many plain bytes on, native searches beat the loop (measured: they cost about a microsecond). */
const longRun = 1024;

/** Native searches look no further than this, so that a text full of escapes stays linear. */
const searchWindow = 16_384;

/** 1 for the bytes at which a run of plain string bytes ends: control characters, quote, backslash. */
const endsRun = new Uint8Array(256).fill(1, 0, 0x20);
endsRun[byte.quote] = 1;
endsRun[byte.backslash] = 1;

/** 1 for the bytes that make an escape of two with the backslash before them. */
const shortEscape = new Uint8Array(256);
for (const letter of '"\\/bfnrt') shortEscape[letter.charCodeAt(0)] = 1;

/**
 * Where a JSON string ends. `start` is the byte after the opening quote; the
 * answer is the offset of the closing quote. Raw control characters, unknown
 * escapes and a missing quote are refused; UTF-8 is not looked at here.
 */
export function endOfString(bytes: Buffer, start: number): number {
  let position = start;
  for (;;) {
    position = endOfRun(bytes, position);
    const found = bytes[position];
    if (found === byte.quote) return position;
    if (found === byte.backslash) position = afterEscape(bytes, position);
    else if (found === undefined || found < byte.space) throw badStringByte(bytes, position);
  }
}

/** How far the plain bytes from `start` on surely reach: to the byte that ends them, or less. */
function endOfRun(bytes: Buffer, start: number): number {
  const limit = Math.min(bytes.length, start + longRun);
  let position = start;
  while (position < limit && endsRun[bytes[position] ?? 0] === 0) position++;
  return position === limit && limit < bytes.length ? endOfLongRun(bytes, position) : position;
}

/**
 * The same for long runs, which are most of a large body: the ends are found
 * by native search, and what lies between needs only the control characters
 * ruled out.
 */
function endOfLongRun(bytes: Buffer, start: number): number {
  const window = bytes.subarray(start, start + searchWindow);
  const quote = window.indexOf(byte.quote);
  const closed = quote === -1 ? window : window.subarray(0, quote);
  const escape = closed.indexOf(byte.backslash);
  return start + firstControl(escape === -1 ? closed : closed.subarray(0, escape));
}

/** Offset of the first control character, or the length. */
function firstControl(run: Buffer): number {
  if (run.length < 16) return firstControlByByte(run, 0, run.length);
  const head = -run.byteOffset & 3;
  const count = (run.length - head) >> 2;
  if (hasControlInWords(new Int32Array(run.buffer, run.byteOffset + head, count))) {
    return firstControlByByte(run, 0, run.length);
  }
  const early = firstControlByByte(run, 0, head);
  return early < head ? early : firstControlByByte(run, head + count * 4, run.length);
}

/**
 * Four bytes at a time: taking 0x20 off a byte below it borrows and sets its
 * top bit, which `~word` keeps only where it was not set before. No branch in
 * the loop.
 */
function hasControlInWords(words: Int32Array): boolean {
  let borrowed = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? 0;
    borrowed |= (word - 0x20202020) & ~word;
  }
  return (borrowed & 0x80808080) !== 0;
}

function firstControlByByte(run: Buffer, start: number, end: number): number {
  let position = start;
  while (position < end && (run[position] ?? 0) >= byte.space) position++;
  return position;
}

/** `position` is a backslash; the answer is the offset after the whole escape. */
function afterEscape(bytes: Buffer, position: number): number {
  const letter = bytes[position + 1] ?? 0;
  if (shortEscape[letter] === 1) return position + 2;
  if (letter !== byte.lowerU) throw unexpected(bytes, position + 1, "a known escape");
  return afterHexDigits(bytes, position + 2);
}

function afterHexDigits(bytes: Buffer, start: number): number {
  for (let position = start; position < start + 4; position++) {
    if (!isHexDigit(bytes[position] ?? 0))
      throw unexpected(bytes, position, "four hexadecimal digits");
  }
  return start + 4;
}

function isHexDigit(value: number): boolean {
  const lower = value | 0x20;
  return (value >= byte.zero && value <= byte.nine) || (lower >= 0x61 && lower <= 0x66);
}

function badStringByte(bytes: Buffer, position: number): JsonSyntaxError {
  const isOpen = position >= bytes.length;
  const expected = isOpen ? "a closing quote" : "no raw control character in a string";
  return unexpected(bytes, position, expected);
}
