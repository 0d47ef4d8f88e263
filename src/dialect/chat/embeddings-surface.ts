import type { DialectWireProtocol } from "../dialect-surface.ts";
import { chatWireProtocol } from "./index.ts";

/** Embeddings: whoever speaks chat completions has them beside these, with the same errors. */
export const embeddingsWireProtocol: DialectWireProtocol = {
  ...chatWireProtocol,
  operation: "createEmbedding",
  path: "/embeddings",
  isConversation: false,
};
