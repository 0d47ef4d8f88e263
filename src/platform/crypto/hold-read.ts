import { ApiError } from "../errors.ts";
import type { MemoryReserver } from "../hold-memory.ts";
import { estimateOpenedByteLength } from "./secret-box.ts";

/** Smaller sealed values are not counted. */
const smallBytes = 64 * 1024;

/** Copies of a value while a caller gets it: its text, its parsed form, and the answer as text and as bytes. */
const copies = 4;

/** Most that counts of one value, so that a caller can get a value of any size. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Counts what a sealed value of so many bytes takes once it is opened, until a caller has it.
 * Throws what `hold` throws, unless the value is too large for the account by itself.
 */
export function holdRead(sealedBytes: number, hold: MemoryReserver): void {
  if (sealedBytes <= smallBytes) return;
  try {
    hold(Math.min(copies * estimateOpenedByteLength(sealedBytes), maxBytes));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "request_too_large") throw error;
  }
}
