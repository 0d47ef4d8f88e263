import type { McpServerError } from "../mcp/mcp-server-error.ts";
import type { McpServerToolPolicy } from "./tool-policy.ts";
import type { McpToolList } from "./listed-mcp-tool.ts";

/** What a server was asked for and answered. */
export interface McpServerQueryResult {
  readonly policy: McpServerToolPolicy;
  readonly label: string;
  /** A list has only the tools that the policy allows. */
  readonly result: McpToolList | McpServerError;
}
