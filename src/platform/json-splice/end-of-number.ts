import { jsonByteCodes } from "./byte.ts";
import { unexpectedByteError } from "./json-syntax-error.ts";

/** Whether a JSON number can begin with the byte. */
export function startsJsonNumber(value: number | undefined): boolean {
  return value === jsonByteCodes.minus || isDigit(value);
}

/** Where a JSON number that starts at `start` ends: the offset after its last byte. */
export function skipJsonNumber(bytes: Buffer, start: number): number {
  let position = bytes[start] === jsonByteCodes.minus ? start + 1 : start;
  position = bytes[position] === jsonByteCodes.zero ? position + 1 : afterDigits(bytes, position);
  if (bytes[position] === jsonByteCodes.dot) position = afterDigits(bytes, position + 1);
  return isExponent(bytes[position]) ? afterExponent(bytes, position + 1) : position;
}

function isExponent(value: number | undefined): boolean {
  return value === 0x65 || value === 0x45;
}

function afterExponent(bytes: Buffer, position: number): number {
  const sign = bytes[position];
  return afterDigits(
    bytes,
    sign === jsonByteCodes.plus || sign === jsonByteCodes.minus ? position + 1 : position,
  );
}

/** At least one digit is asked for. */
function afterDigits(bytes: Buffer, start: number): number {
  let position = start;
  while (isDigit(bytes[position])) position++;
  if (position === start) throw unexpectedByteError(bytes, start, "a digit");
  return position;
}

function isDigit(value: number | undefined): boolean {
  return value !== undefined && value >= jsonByteCodes.zero && value <= jsonByteCodes.nine;
}
