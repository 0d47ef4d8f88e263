import type { SealedRowLoadContext } from "../../src/platform/database/counted-loader.ts";
import { noopMemoryReserver } from "../../src/platform/hold-memory.ts";

/** Loads for a caller that stays, without a limit of memory. */
export const loadContext: SealedRowLoadContext = {
  hold: noopMemoryReserver,
  signal: new AbortController().signal,
};
