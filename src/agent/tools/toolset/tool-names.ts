import { type UniqueNames, toToolName } from "./unique-name.ts";

/** A tool that needs a name of its own. */
export interface McpToolReference {
  /** Label of its server. */
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
}

/** What every dialect takes as the name of a function. */
const validName = /^[\w-]{1,64}$/;

/**
 * Names for tools of MCP servers, in their order. A tool keeps its own where that
 * is valid and nobody else has it, else it is called `<server>__<tool>`: two servers
 * with a tool of the same name are told apart, and none can pass for another.
 */
export function assignToolNames(tools: readonly McpToolReference[], names: UniqueNames): string[] {
  const counts = new Map<string, number>();
  for (const { tool } of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const isPlain = ({ tool }: McpToolReference): boolean =>
    validName.test(tool) && counts.get(tool) === 1 && !names.has(tool);
  const plain = new Set(tools.filter(isPlain));
  for (const { tool } of plain) names.create(tool);
  return tools.map((tool) => {
    if (plain.has(tool)) return tool.tool;
    return names.create(`${tool.server}__${toToolName(tool.tool) || "tool"}`);
  });
}
