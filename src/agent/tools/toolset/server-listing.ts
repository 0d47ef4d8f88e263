import type { AgentToolDefinition, McpToolListing } from "../../../domain/agent-turn.ts";
import { describeMcpServerError, McpServerError } from "../mcp/mcp-server-error.ts";
import type { McpServerQueryResult } from "./queried-server.ts";
import type { ListedMcpTool } from "./listed-mcp-tool.ts";

/** What servers that the request declares have answered, as its caller is told it: the tools that are offered. */
export function buildMcpToolListings(
  servers: readonly McpServerQueryResult[],
  offered: readonly AgentToolDefinition[],
): readonly McpToolListing[] {
  // An offered tool has the schema of its listing, the same object.
  const schemas = new Set(offered.map(({ parameters }) => parameters));
  return servers
    .filter(({ policy: rules }) => rules.itemId === undefined)
    .map(({ label, result: answer }) =>
      answer instanceof McpServerError
        ? {
            label,
            tools: [],
            error: `The MCP server \`${label}\` ${describeMcpServerError(answer)}.`,
          }
        : {
            label,
            tools: answer.tools.filter(({ parameters }) => schemas.has(parameters)).map(listTool),
            error: undefined,
          },
    );
}

function listTool({ name, description, parameters, annotations }: ListedMcpTool) {
  return { name, description: description ?? null, input_schema: parameters, annotations };
}
