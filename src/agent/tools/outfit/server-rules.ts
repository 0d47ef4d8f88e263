import type { HostedServer, ToolFilter } from "../../../kernel/agent-turn.ts";
import type { GivenMcpServer } from "../../../kernel/given-items.ts";
import { matchesPattern } from "../../../platform/star-pattern.ts";
import type { ServerTool } from "./server-tool.ts";

/** What is known of a tool that is judged; undefined: the server's hints are not known. */
type JudgedTool = Pick<ServerTool, "name"> & Partial<Pick<ServerTool, "isReadOnly">>;

/** What whoever brings a server says of its tools. */
export interface ServerRules {
  /** Undefined: the request declares the server. */
  readonly itemId: string | undefined;
  /** What its caller says of it, for the model. */
  readonly description: string | undefined;
  mayUse(tool: JudgedTool): boolean;
  needsApproval(tool: JudgedTool): boolean;
}

/** The rules of an item. */
export function itemRules(item: GivenMcpServer): ServerRules {
  return {
    itemId: item.id,
    description: undefined,
    mayUse: ({ name }) => mayUse(item, name),
    needsApproval: () => item.needsApproval,
  };
}

/** The rules of a server that a request declares. */
export function hostedRules({ description, allowed, approval }: HostedServer): ServerRules {
  const { always, never } = approval;
  return {
    itemId: undefined,
    description,
    mayUse: (tool) => allowed === undefined || holdsFor(allowed, tool),
    needsApproval: (tool) =>
      (always !== undefined && holdsFor(always, tool)) ||
      never === undefined ||
      !holdsFor(never, tool),
  };
}

/** Whether the owner of an item lets the agent use a tool of its server. */
export function mayUse({ tools }: Pick<GivenMcpServer, "tools">, name: string): boolean {
  return tools.length === 0 || tools.some((pattern) => matchesPattern(pattern, name));
}

function holdsFor({ names, isReadOnly }: ToolFilter, tool: JudgedTool): boolean {
  const isNamed = names === undefined || names.includes(tool.name);
  return isNamed && (isReadOnly === undefined || tool.isReadOnly === isReadOnly);
}
