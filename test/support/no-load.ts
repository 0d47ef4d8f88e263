import type { LoadGate } from "../../src/platform/load/load-shedder.ts";

/** A process that can take whatever comes. */
export const noLoad: LoadGate = { assertTaking: () => {} };
