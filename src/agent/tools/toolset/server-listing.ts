import type { McpToolListing } from "../../../domain/agent-turn.ts";
import { describeMcpServerError, McpServerError } from "../mcp/mcp-server-error.ts";
import type { QueriedMcpServer } from "./queried-server.ts";
import type { ListedMcpTool } from "./listed-mcp-tool.ts";

/** What servers that the request declares have answered, as its caller is told it. */
export function buildMcpToolListings(
  servers: readonly QueriedMcpServer[],
): readonly McpToolListing[] {
  return servers
    .filter(({ policy: rules }) => rules.itemId === undefined)
    .map(({ policy: rules, label, result: answer }) =>
      answer instanceof McpServerError
        ? {
            label,
            tools: [],
            error: `The MCP server \`${label}\` ${describeMcpServerError(answer)}.`,
          }
        : {
            label,
            tools: answer.tools.filter((tool) => rules.isAllowed(tool)).map(listTool),
            error: undefined,
          },
    );
}

function listTool({ name, description, parameters, annotations }: ListedMcpTool) {
  return { name, description: description ?? null, input_schema: parameters, annotations };
}
