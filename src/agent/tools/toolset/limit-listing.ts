import { mapWithPauses } from "../../../platform/map-with-pauses.ts";
import type { ListedMcpTool, McpToolList } from "./listed-mcp-tool.ts";
import type { McpServerToolPolicy } from "./tool-policy.ts";

/** Tools that one call of a model is offered (docs/agent-tools.md#what-is-offered). */
export const maxToolsPerModelCall = 128;
/** Characters of all schemas and descriptions of servers together. */
export const maxTotalToolSchemaCharacters = 512 * 1024;

/**
 * Returns what a server lists without the tools that its policy forbids. Tools that cannot be
 * offered, because those before them fill the limits of a toolset, are left with their names only.
 * Each tool is judged once, and other work of the process runs in between.
 */
export async function limitToolListByPolicy(
  { tools, omitted }: McpToolList,
  policy: McpServerToolPolicy,
): Promise<McpToolList> {
  const judge = <Tool>(listed: readonly Tool[], isAllowed: (tool: Tool) => boolean) =>
    mapWithPauses(listed, () => policy.effort, isAllowed);
  const verdicts = await judge(tools, (tool) => policy.isAllowed(tool));
  const omittedVerdicts = await judge(omitted, (name) => policy.isAllowed({ name }));
  let [room, places] = [maxTotalToolSchemaCharacters, maxToolsPerModelCall];
  const limited = tools
    .filter((_tool, index) => verdicts[index])
    .map((tool) => {
      places -= 1;
      if (places >= 0 && room >= 0) room -= countToolDefinitionCharacters(tool);
      return places >= 0 && room >= 0 ? tool : nameOnly(tool);
    });
  return { tools: limited, omitted: omitted.filter((_name, index) => omittedVerdicts[index]) };
}

/** Characters that a tool takes of the limit. */
export function countToolDefinitionCharacters({
  description = "",
  parameters,
}: Pick<ListedMcpTool, "description" | "parameters">): number {
  return description.length + JSON.stringify(parameters).length;
}

function nameOnly(tool: ListedMcpTool): ListedMcpTool {
  return { ...tool, description: undefined, parameters: {}, annotations: {} };
}
