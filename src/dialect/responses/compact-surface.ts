import type { DialectWireProtocol } from "../dialect-surface.ts";
import { responsesWireProtocol } from "./index.ts";

/** The official client's `responses.compact`: its answer is one object, never streamed. */
export const compactionWireProtocol: DialectWireProtocol = {
  ...responsesWireProtocol,
  operation: "compactResponse",
  path: "/responses/compact",
};
