import type { MemoryAndAbortContext } from "../../src/platform/database/counted-loader.ts";
import { noopMemoryReserver } from "../../src/platform/hold-memory.ts";

/** Loads for a caller that stays, without a limit of memory. */
export const loadContext: MemoryAndAbortContext = {
  hold: noopMemoryReserver,
  signal: new AbortController().signal,
};
