import type { DialectOperation } from "../dialect-surface.ts";
import { chatDialectOperation } from "./index.ts";

/** Embeddings: whoever speaks chat completions has them beside these, with the same errors. */
export const embeddingsDialectOperation: DialectOperation = {
  ...chatDialectOperation,
  operation: "createEmbedding",
  path: "/embeddings",
  isConversation: false,
};
