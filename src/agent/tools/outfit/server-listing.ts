import type { ServerListing } from "../../../kernel/agent-turn.ts";
import { faultWords, McpFault } from "../mcp/mcp-fault.ts";
import type { AskedServer } from "./asked-server.ts";
import type { ServerTool } from "./server-tool.ts";

/** What servers that the request declares have answered, as its caller is told it. */
export function serverListings(servers: readonly AskedServer[]): readonly ServerListing[] {
  return servers
    .filter(({ rules }) => rules.itemId === undefined)
    .map(({ rules, label, answer }) =>
      answer instanceof McpFault
        ? { label, tools: [], error: `The MCP server \`${label}\` ${faultWords(answer)}.` }
        : {
            label,
            tools: answer.tools.filter((tool) => rules.mayUse(tool)).map(listTool),
            error: undefined,
          },
    );
}

function listTool({ name, description, parameters, annotations }: ServerTool) {
  return { name, description: description ?? null, input_schema: parameters, annotations };
}
