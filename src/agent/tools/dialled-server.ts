import type { AgentReceiver, HostedServer } from "../../kernel/agent-turn.ts";
import type { GivenMcpServer } from "../../kernel/given-items.ts";
import type { McpAddress } from "./mcp/mcp-connection.ts";

/** An MCP server, and what is kept of it. */
export interface DialledServer {
  /** Names what is kept: nothing of it is for another account or person. */
  readonly key: string;
  readonly address: McpAddress;
}

/** The server of an item. */
export function serverOfItem(
  receiver: AgentReceiver,
  { id, url, headers }: GivenMcpServer,
): DialledServer {
  return { key: keyOf(receiver, id), address: { url, headers, poolKey: `mcp:${id}` } };
}

/** A server that a request declares; of one account all have a pool together. */
export function hostedServer(
  receiver: AgentReceiver,
  { label, url, headers }: HostedServer,
): DialledServer {
  const poolKey = `mcp:hosted:${receiver.accountId}`;
  return { key: keyOf(receiver, `hosted:${label}`), address: { url, headers, poolKey } };
}

function keyOf({ accountId, userId }: AgentReceiver, server: string): string {
  return `${accountId}/${userId}/${server}`;
}
