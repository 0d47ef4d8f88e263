import { embeddingsDialectOperation } from "./chat/embeddings-surface.ts";
import { chatDialectOperation } from "./chat/index.ts";
import type { DialectOperation } from "./dialect-surface.ts";
import { messagesDialectOperation } from "./messages/index.ts";
import { compactionDialectOperation } from "./responses/compact-surface.ts";
import { responsesDialectOperation } from "./responses/index.ts";

/** One for each model call. */
export const allDialectOperations: readonly DialectOperation[] = [
  chatDialectOperation,
  responsesDialectOperation,
  compactionDialectOperation,
  messagesDialectOperation,
  embeddingsDialectOperation,
];
