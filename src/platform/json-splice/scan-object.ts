import { isUtf8 } from "node:buffer";
import { jsonByteCodes } from "./byte.ts";
import { findClosingQuoteOffset } from "./end-of-string.ts";
import { skipJsonWhitespace, findJsonValueEnd, skipColonToMemberValue } from "./end-of-value.ts";
import { JsonSyntaxError, unexpectedByteError } from "./json-syntax-error.ts";
import { JsonScanBuffer } from "../speed/scan-buffer.ts";

/** Byte range of a JSON value, the quotes of a string included; `end` is exclusive. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds members of the top level of a JSON object without building it, and
 * checks every byte on the way: what `JSON.parse` refuses is refused
 * (`JsonSyntaxError`), and so are invalid UTF-8, nesting beyond `maxDepth` and
 * a second member of one of `names`, however its key is escaped. Repeated
 * other keys pass, since nothing is decided by them.
 *
 * The answer has the place of each name's value, in the order of `names`.
 */
export function validateAndFindMemberSpans(
  bytes: Buffer,
  names: readonly string[],
): (JsonSpan | undefined)[] {
  if (!isUtf8(bytes)) throw new JsonSyntaxError("encoding", 0, "the text is not valid UTF-8");
  const found: (JsonSpan | undefined)[] = [];
  const start = skipJsonWhitespace(bytes, 0);
  if (bytes[start] !== jsonByteCodes.openBrace)
    throw unexpectedByteError(bytes, start, "an object");
  const end = scanMembers(new JsonScanBuffer(bytes), start + 1, names, found);
  const rest = skipJsonWhitespace(bytes, end);
  if (rest !== bytes.length) throw unexpectedByteError(bytes, rest, "nothing after the object");
  return found;
}

function scanMembers(
  text: JsonScanBuffer,
  start: number,
  names: readonly string[],
  found: (JsonSpan | undefined)[],
): number {
  const { bytes } = text;
  let position = skipJsonWhitespace(bytes, start);
  if (bytes[position] === jsonByteCodes.closeBrace) return position + 1;
  for (;;) {
    position = skipJsonWhitespace(bytes, scanMember(text, position, names, found));
    if (bytes[position] === jsonByteCodes.closeBrace) return position + 1;
    if (bytes[position] !== jsonByteCodes.comma)
      throw unexpectedByteError(bytes, position, "a comma or a closing brace");
    position = skipJsonWhitespace(bytes, position + 1);
  }
}

/** Notes the member if its name is looked for; the answer is the offset after its value. */
function scanMember(
  text: JsonScanBuffer,
  start: number,
  names: readonly string[],
  found: (JsonSpan | undefined)[],
): number {
  const { bytes } = text;
  if (bytes[start] !== jsonByteCodes.quote)
    throw unexpectedByteError(bytes, start, "a key in quotes");
  const endOfKey = findClosingQuoteOffset(text, start + 1);
  const value = skipColonToMemberValue(bytes, endOfKey + 1);
  const end = findJsonValueEnd(text, value, 1);
  const index = indexOfName(bytes, start + 1, endOfKey, names);
  if (index !== -1) {
    if (found[index] !== undefined) throw repetitionError(start, names[index]);
    found[index] = { start: value, end };
  }
  return end;
}

function repetitionError(offset: number, key: string | undefined): JsonSyntaxError {
  return new JsonSyntaxError("duplicate_key", offset, `the key \`${key}\` is given twice`, key);
}

/** Bytes of a longer name than any that is looked for, where each character is escaped. */
const maxNameBytes = 1024;

function indexOfName(bytes: Buffer, start: number, end: number, names: readonly string[]): number {
  if (end - start > maxNameBytes) return -1;
  if (hasEscape(bytes, start, end)) {
    return names.indexOf(decodeJsonString(bytes, { start: start - 1, end: end + 1 }));
  }
  for (let index = 0; index < names.length; index++) {
    if (spells(bytes, start, end, names[index] ?? "")) return index;
  }
  return -1;
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let position = start; position < end; position++) {
    if (bytes[position] === jsonByteCodes.backslash) return true;
  }
  return false;
}

/** Names are ASCII, so that a character is a byte. */
function spells(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let index = 0; index < name.length; index++) {
    if (bytes[start + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** The text of a string that `scanObject` found; the span includes the quotes. */
export function decodeJsonString(bytes: Buffer, { start, end }: JsonSpan): string {
  if (bytes[start] !== jsonByteCodes.quote) throw unexpectedByteError(bytes, start, "a string");
  if (!hasEscape(bytes, start + 1, end - 1)) return bytes.toString("utf8", start + 1, end - 1);
  // The scan has checked it: a string that begins with a quote parses to a string.
  return String(JSON.parse(bytes.toString("utf8", start, end)));
}
