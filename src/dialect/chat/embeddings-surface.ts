import type { DialectSurface } from "../dialect-surface.ts";
import { chatSurface } from "./index.ts";

/** Embeddings: whoever speaks chat completions has them beside these, with the same errors. */
export const embeddingsSurface: DialectSurface = {
  ...chatSurface,
  operation: "createEmbedding",
  path: "/embeddings",
  isConversation: false,
};
