import type { ListedMcpTool, McpToolList } from "./listed-mcp-tool.ts";
import type { ToolPolicy } from "./tool-policy.ts";

/** Tools that one call of a model is offered (docs/agent-tools.md#what-is-offered). */
export const maxTools = 128;
/** Characters of all schemas and descriptions of servers together. */
export const maxCharacters = 512 * 1024;

/**
 * Returns what a server lists without the tools that its policy forbids. Tools that cannot be
 * offered, because those before them fill the limits of a toolset, are left with their names only.
 */
export function limitToolListByPolicy(
  { tools, omitted }: McpToolList,
  policy: ToolPolicy,
): McpToolList {
  let [room, places] = [maxCharacters, maxTools];
  const allowed = tools.filter((tool) => policy.isAllowed(tool));
  const limited = allowed.map((tool) => {
    places -= 1;
    if (places >= 0) room -= toolCharacters(tool);
    return places >= 0 && room >= 0 ? tool : nameOnly(tool);
  });
  return { tools: limited, omitted: omitted.filter((name) => policy.isAllowed({ name })) };
}

/** Characters that a tool takes of the limit. */
export function toolCharacters({
  description = "",
  parameters,
}: Pick<ListedMcpTool, "description" | "parameters">): number {
  return description.length + JSON.stringify(parameters).length;
}

function nameOnly(tool: ListedMcpTool): ListedMcpTool {
  return { ...tool, description: undefined, parameters: {}, annotations: {} };
}
