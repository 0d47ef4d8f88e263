import { byte } from "./byte.ts";

/** 1 for the bytes at which a run of plain string bytes ends: control characters, quote, backslash. */
export const isSpecialByte = new Uint8Array(256).fill(1, 0, byte.space);
isSpecialByte[byte.quote] = 1;
isSpecialByte[byte.backslash] = 1;

/** 1 for the bytes that make an escape of two with the backslash before them. */
export const isShortEscapeByte = new Uint8Array(256);
for (const letter of '"\\/bfnrt') isShortEscapeByte[letter.charCodeAt(0)] = 1;
