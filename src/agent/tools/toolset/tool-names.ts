import { type UniqueToolNameAllocator, sanitizeToolName } from "./unique-name.ts";

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
 * Returns a function that names tools of MCP servers, which are passed to it in their order. A
 * tool keeps its own name where that is valid and unlike all others, else it is called
 * `<server>__<tool>`: two servers with a tool of the same name are told apart, and none can
 * pass for another. Tools beyond those that are offered need no name, and cost none.
 */
export function createMcpToolNamer(
  tools: readonly McpToolReference[],
  names: UniqueToolNameAllocator,
): (tool: McpToolReference) => string {
  const counts = new Map<string, number>();
  for (const { tool } of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const isPlain = ({ tool }: McpToolReference): boolean =>
    counts.get(tool) === 1 && validName.test(tool) && !names.has(tool);
  const plain = new Set(tools.filter(isPlain));
  for (const { tool } of plain) names.create(tool);
  return (tool) =>
    plain.has(tool)
      ? tool.tool
      : names.create(`${tool.server}__${sanitizeToolName(tool.tool) || "tool"}`);
}
