import type { DeclaredMcpServer, ToolFilter } from "../../../domain/agent-turn.ts";
import type { AgentMcpServer } from "../../../domain/agent-items.ts";
import { matchesWildcard } from "../../../platform/wildcard-pattern.ts";
import type { ListedMcpTool } from "./listed-mcp-tool.ts";

/** What is known of a tool that is judged; undefined: the server's hints are not known. */
type JudgedTool = Pick<ListedMcpTool, "name"> & Partial<Pick<ListedMcpTool, "isReadOnly">>;

/** What whoever brings a server says of its tools. */
export interface ToolPolicy {
  /** Undefined: the request declares the server. */
  readonly itemId: string | undefined;
  /** Normalized address of a server that the request declares; undefined: an item has it. */
  readonly declaredUrl: string | undefined;
  /** What its caller says of it, for the model. */
  readonly description: string | undefined;
  isAllowed(tool: JudgedTool): boolean;
  needsApproval(tool: JudgedTool): boolean;
}

/** The rules of an item. */
export function createItemToolPolicy(item: AgentMcpServer): ToolPolicy {
  return {
    itemId: item.id,
    declaredUrl: undefined,
    description: undefined,
    isAllowed: ({ name }) => isToolAllowedByItem(item, name),
    needsApproval: () => item.needsApproval,
  };
}

/** The rules of a server that a request declares. */
export function createDeclaredServerToolPolicy({
  url,
  description,
  allowed,
  approval,
}: DeclaredMcpServer): ToolPolicy {
  const { always, never } = approval;
  return {
    itemId: undefined,
    declaredUrl: new URL(url).href,
    description,
    isAllowed: (tool) => allowed === undefined || holdsFor(allowed, tool),
    needsApproval: (tool) =>
      (always !== undefined && holdsFor(always, tool)) ||
      never === undefined ||
      !holdsFor(never, tool),
  };
}

/** Whether the owner of an item lets the agent use a tool of its server. */
export function isToolAllowedByItem(
  { tools }: Pick<AgentMcpServer, "tools">,
  name: string,
): boolean {
  return tools.length === 0 || tools.some((pattern) => matchesWildcard(pattern, name));
}

function holdsFor({ names, isReadOnly }: ToolFilter, tool: JudgedTool): boolean {
  const isNamed = names === undefined || names.includes(tool.name);
  return isNamed && (isReadOnly === undefined || tool.isReadOnly === isReadOnly);
}
