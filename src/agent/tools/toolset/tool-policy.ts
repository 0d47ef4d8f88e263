import type { DeclaredMcpServer, McpToolFilter } from "../../../domain/agent-turn.ts";
import type { AgentMcpServer } from "../../../domain/agent-items.ts";
import { compileWildcardMatcher } from "../../../platform/wildcard-pattern.ts";
import type { ListedMcpTool } from "./listed-mcp-tool.ts";

/** What is known of a tool that is judged; undefined: the server's hints are not known. */
type JudgedTool = Pick<ListedMcpTool, "name"> & Partial<Pick<ListedMcpTool, "isReadOnly">>;

/** What whoever brings a server says of its tools. */
export interface McpServerToolPolicy {
  /** Undefined: the request declares the server. */
  readonly itemId: string | undefined;
  /** Normalized address of a server that the request declares; undefined: an item has it. */
  readonly declaredUrl: string | undefined;
  /** What its caller says of it, for the model. */
  readonly description: string | undefined;
  /** Time that judging a tool takes, as `mapWithPauses` counts it in bytes. */
  readonly effort: number;
  isAllowed(tool: JudgedTool): boolean;
  needsApproval(tool: JudgedTool): boolean;
}

/** A pattern of an item takes about as long as so many bytes, for each of its stars. */
const effortOfStar = 64;

/** The rules of an item. */
export function createMcpExtensionToolPolicy(item: AgentMcpServer): McpServerToolPolicy {
  const isNamed = compileExtensionToolFilter(item);
  return {
    itemId: item.id,
    declaredUrl: undefined,
    description: undefined,
    effort: effortOfStar * item.tools.join("").split("*").length,
    isAllowed: ({ name }) => isNamed(name),
    needsApproval: () => item.needsApproval,
  };
}

/** The rules of a server that a request declares. */
export function createDeclaredMcpToolPolicy({
  url,
  description,
  allowed,
  approval,
}: DeclaredMcpServer): McpServerToolPolicy {
  const isAllowed = allowed === undefined ? () => true : compileFilter(allowed);
  const always = approval.always && compileFilter(approval.always);
  const never = approval.never && compileFilter(approval.never);
  return {
    itemId: undefined,
    declaredUrl: new URL(url).href,
    description,
    effort: effortOfStar,
    isAllowed,
    needsApproval: (tool) => always?.(tool) === true || never?.(tool) !== true,
  };
}

/** Returns a function that tells whether the owner of an item lets the agent use a tool of its server. */
export function compileExtensionToolFilter({
  tools,
}: Pick<AgentMcpServer, "tools">): (name: string) => boolean {
  return tools.length === 0 ? () => true : compileWildcardMatcher(tools);
}

function compileFilter({ names, isReadOnly }: McpToolFilter): (tool: JudgedTool) => boolean {
  const named = names && new Set(names);
  return ({ name, isReadOnly: isSaidToBe }) =>
    (named === undefined || named.has(name)) &&
    (isReadOnly === undefined || isSaidToBe === isReadOnly);
}
