import { embeddingsSurface } from "./chat/embeddings-surface.ts";
import { chatSurface } from "./chat/index.ts";
import type { DialectSurface } from "./dialect-surface.ts";
import { messagesSurface } from "./messages/index.ts";
import { compactSurface } from "./responses/compact-surface.ts";
import { responsesSurface } from "./responses/index.ts";

/** One for each model call. */
export const allDialectSurfaces: readonly DialectSurface[] = [
  chatSurface,
  responsesSurface,
  compactSurface,
  messagesSurface,
  embeddingsSurface,
];
