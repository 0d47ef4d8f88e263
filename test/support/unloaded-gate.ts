import type { LoadAdmissionCheck } from "../../src/platform/load/load-shedder.ts";

/** A process that can take whatever comes. */
export const neverShedding: LoadAdmissionCheck = { assertAccepting: () => {} };
