import type { DialectOperation } from "../dialect-surface.ts";
import { responsesDialectOperation } from "./index.ts";

/** The official client's `responses.compact`: its answer is one object, never streamed. */
export const compactionDialectOperation: DialectOperation = {
  ...responsesDialectOperation,
  operation: "compactResponse",
  path: "/responses/compact",
};
