import { isAscii } from "node:buffer";
import type { JsonObject } from "../../dialect/json.ts";
import { maxJsonValues } from "../../dialect/value-limit.ts";
import { parseLosslessJsonObject } from "../../dialect/parse-exact.ts";
import { ApiError } from "../../platform/errors.ts";
import type { MemoryReleaser, MemoryReserver } from "../../platform/hold-memory.ts";
import { jsonByteCodes } from "../../platform/json-splice/byte.ts";
import { countJsonValues, findJsonStringEnd } from "../../platform/json-splice/count-values.ts";

/** Fewer are not counted, only their text: they take less memory. */
const fewValues = 10_000;

/** Smallest size of a parsed value in memory. */
const valueBytes = 100;

/**
 * Returns the body of a call as an object; it was checked to be one when it was read. Its memory
 * counts until the call ends. Throws 413 for one of more JSON values than a process can parse in
 * a moment, or what `hold` throws.
 */
export function parseCallBody(bytes: Buffer, hold: MemoryReserver): JsonObject {
  holdParsed(bytes, hold);
  return parse(bytes);
}

/**
 * Returns what `read` makes of the parsed body, which must keep no part of it: the memory is given
 * back at once. Throws like `parseCallBody`, and what `read` throws.
 */
export function withParsedCallBody<Result>(
  bytes: Buffer,
  hold: MemoryReserver,
  read: (body: JsonObject) => Result,
): Result {
  const giveBack = holdParsed(bytes, hold);
  try {
    return read(parse(bytes));
  } finally {
    giveBack();
  }
}

/**
 * Bytes that a JSON text needs in memory once it is parsed, beside its own: of its strings and,
 * unless they are few, of its values. Undefined: there are more values than are parsed.
 */
export function estimateParsedBodyMemory(bytes: Buffer): number | undefined {
  const values = countJsonValues(bytes, maxJsonValues);
  if (values > maxJsonValues) return undefined;
  return stringBytes(bytes) + (values > fewValues ? values * valueBytes : 0);
}

/** The first lead byte of UTF-8 whose character does not fit into one byte of a string. */
const firstWideLead = 0xc4;

/** The first lead byte of a character that takes two units of a string. */
const firstPairLead = 0xf0;

/** Bits that tell a continuation byte of UTF-8. */
const continuation = { mask: 0xc0, bits: 0x80 } as const;

const escapedUnit = Buffer.from("\\u");

/** Estimates the memory of the strings of a JSON text. Other bytes count once. */
function stringBytes(bytes: Buffer): number {
  if (isAscii(bytes) && !bytes.includes(escapedUnit)) return bytes.length;
  let needed = 0;
  let at = 0;
  for (let start = bytes.indexOf(jsonByteCodes.quote); start !== -1;) {
    const end = findJsonStringEnd(bytes, start);
    needed += start - at + oneStringBytes(bytes.subarray(start, end));
    at = end;
    start = bytes.indexOf(jsonByteCodes.quote, end + 1);
  }
  return needed + bytes.length - at;
}

/** A single character that needs two bytes, written out or escaped, makes its whole string need them. */
function oneStringBytes(bytes: Buffer): number {
  let units = bytes.length;
  let isWide = bytes.includes(escapedUnit);
  if (!isAscii(bytes)) {
    for (let at = 0; at < bytes.length; at++) {
      const code = bytes[at] ?? 0;
      if ((code & continuation.mask) === continuation.bits) units -= 1;
      else if (code >= firstPairLead) units += 1;
      isWide ||= code >= firstWideLead;
    }
  }
  return isWide ? 2 * units : units;
}

/**
 * Counts the values of JSON texts within a body, such as the arguments of its tool calls, before
 * they are parsed. Throws like `parseCallBody`.
 */
export function reserveEmbeddedJsonMemory(texts: Iterable<string>, hold: MemoryReserver): void {
  let values = 0;
  for (const text of texts) {
    values += countJsonValues(Buffer.from(text), maxJsonValues - values);
    if (values > maxJsonValues) throw tooManyValuesError();
  }
  if (values > fewValues) hold(values * valueBytes);
}

function holdParsed(bytes: Buffer, hold: MemoryReserver): MemoryReleaser {
  const needed = estimateParsedBodyMemory(bytes);
  if (needed === undefined) throw tooManyValuesError();
  return hold(needed);
}

function parse(bytes: Buffer): JsonObject {
  const body = parseLosslessJsonObject(bytes.toString());
  if (body === undefined) throw new Error("The body of a call is no object.");
  return body;
}

function tooManyValuesError(): ApiError {
  const most = maxJsonValues.toLocaleString("en-US");
  return new ApiError(
    "request_too_large",
    `The body, or the arguments of its tool calls together, have more than ${most} JSON values, and this call must be parsed: it is translated, paid from credits, or answered by an agent. Send a shorter conversation, or fewer and larger texts.`,
  );
}
