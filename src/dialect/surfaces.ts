import { embeddingsWireProtocol } from "./chat/embeddings-surface.ts";
import { chatWireProtocol } from "./chat/index.ts";
import type { DialectWireProtocol } from "./dialect-surface.ts";
import { messagesWireProtocol } from "./messages/index.ts";
import { compactionWireProtocol } from "./responses/compact-surface.ts";
import { responsesWireProtocol } from "./responses/index.ts";

/** One for each model call. */
export const allDialectWireProtocols: readonly DialectWireProtocol[] = [
  chatWireProtocol,
  responsesWireProtocol,
  compactionWireProtocol,
  messagesWireProtocol,
  embeddingsWireProtocol,
];
