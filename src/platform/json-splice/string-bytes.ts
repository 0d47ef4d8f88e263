import { jsonByteCodes } from "./byte.ts";

/** 1 for the bytes at which a run of plain string bytes ends: control characters, quote, backslash. */
export const jsonStringStopByteTable = new Uint8Array(256).fill(1, 0, jsonByteCodes.space);
jsonStringStopByteTable[jsonByteCodes.quote] = 1;
jsonStringStopByteTable[jsonByteCodes.backslash] = 1;

/** 1 for the bytes that make an escape of two with the backslash before them. */
export const shortEscapeLetterFlagTable = new Uint8Array(256);
for (const letter of '"\\/bfnrt') shortEscapeLetterFlagTable[letter.charCodeAt(0)] = 1;
