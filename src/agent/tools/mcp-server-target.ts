import type { ItemOwner, DeclaredMcpServer } from "../../domain/agent-turn.ts";
import type { AgentMcpServer } from "../../domain/agent-items.ts";
import type { McpAddress } from "./mcp/mcp-connection.ts";

/** An MCP server, and what is kept of it. */
export interface McpServerTarget {
  /** Names what is kept: nothing of it is for another account or person. */
  readonly key: string;
  readonly address: McpAddress;
}

/** The server of an item. */
export function targetFromItem(
  receiver: ItemOwner,
  { id, url, headers }: AgentMcpServer,
): McpServerTarget {
  return { key: keyOf(receiver, id), address: { url, headers, poolKey: `mcp:${id}` } };
}

/** A server that a request declares; of one account all have a pool together. */
export function targetFromDeclaration(
  receiver: ItemOwner,
  { label, url, headers }: DeclaredMcpServer,
): McpServerTarget {
  const poolKey = `mcp:hosted:${receiver.accountId}`;
  return { key: keyOf(receiver, `hosted:${label}`), address: { url, headers, poolKey } };
}

function keyOf({ accountId, userId }: ItemOwner, server: string): string {
  return `${accountId}/${userId}/${server}`;
}
