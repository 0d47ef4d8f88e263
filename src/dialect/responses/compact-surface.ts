import type { DialectSurface } from "../dialect-surface.ts";
import { responsesSurface } from "./index.ts";

/** The official client's `responses.compact`: its answer is one object, never streamed. */
export const compactSurface: DialectSurface = {
  ...responsesSurface,
  operation: "compactResponse",
  path: "/responses/compact",
};
