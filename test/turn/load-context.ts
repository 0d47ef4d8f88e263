import type { SealedRowLoadContext } from "../../src/platform/database/counted-loader.ts";
import { uncountedMemoryReserver } from "../../src/platform/hold-memory.ts";

/** Loads for a caller that stays, without a limit of memory. */
export const loadContext: SealedRowLoadContext = {
  hold: uncountedMemoryReserver,
  signal: new AbortController().signal,
};
