import type { AgentExtensionOwner, DeclaredMcpServer } from "../../domain/agent-turn.ts";
import type { AgentMcpServer } from "../../domain/agent-items.ts";
import type { McpEndpoint } from "./mcp/mcp-connection.ts";

/** An MCP server, and what is kept of it. */
export interface McpServerWithCacheKey {
  /** Names what is kept: nothing of it is for another account or person. */
  readonly key: string;
  readonly address: McpEndpoint;
}

/** The server of an item. */
export function toMcpServerFromExtension(
  receiver: AgentExtensionOwner,
  { id, url, headers }: AgentMcpServer,
): McpServerWithCacheKey {
  return { key: keyOf(receiver, id), address: { url, headers, poolKey: `mcp:${id}` } };
}

/** A server that a request declares; of one account all have a pool together. */
export function toMcpServerFromDeclaration(
  receiver: AgentExtensionOwner,
  { label, url, headers }: DeclaredMcpServer,
): McpServerWithCacheKey {
  const poolKey = `mcp:hosted:${receiver.accountId}`;
  return { key: keyOf(receiver, `hosted:${label}`), address: { url, headers, poolKey } };
}

function keyOf({ accountId, userId }: AgentExtensionOwner, server: string): string {
  return `${accountId}/${userId}/${server}`;
}
