import type { LoadCheck } from "../../src/platform/load/load-shedder.ts";

/** A process that can take whatever comes. */
export const neverShedding: LoadCheck = { assertAccepting: () => {} };
