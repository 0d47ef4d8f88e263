import { createHash } from "node:crypto";
import type { AgentToolSource } from "../../domain/agent-turn.ts";

type ServerTool = Extract<AgentToolSource, { kind: "mcp" }>;

/** Characters of the digest at the end of an id: 96 bits. */
const digestLength = 16;
const boundId = /^mcpr_[0-9a-z]{1,32}_\d{1,9}_\d{1,9}_[\w-]{16}$/;

/**
 * Returns the id of a request for an approval. `base` names the call. The id ends with a digest
 * of the server that the request asks about, because each turn assigns its labels and a
 * client that keeps all items itself sends back nothing else that could tell servers apart.
 * Returns `base` for a server of which an older version noted too little.
 */
export function buildMcpApprovalRequestId(base: string, source: ServerTool): string {
  const server = source.itemId ?? source.declaredUrl;
  if (server === undefined) return base;
  const digest = createHash("sha256")
    .update(JSON.stringify([base, server]))
    .digest("base64url");
  return `${base}_${digest.slice(0, digestLength)}`;
}

/** Whether an id says which server was asked about; ids of older versions do not. */
export function isServerBoundApprovalId(id: string): boolean {
  return boundId.test(id);
}

/** Whether the request of this id asked about the server that offers the tool. */
export function isApprovalIdForServer(id: string, source: ServerTool): boolean {
  return (
    isServerBoundApprovalId(id) &&
    buildMcpApprovalRequestId(id.slice(0, -digestLength - 1), source) === id
  );
}
