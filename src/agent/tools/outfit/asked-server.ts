import type { McpFault } from "../mcp/mcp-fault.ts";
import type { ServerRules } from "./server-rules.ts";
import type { ServerTools } from "./server-tool.ts";

/** What a server was asked for and answered. */
export interface AskedServer {
  readonly rules: ServerRules;
  readonly label: string;
  readonly answer: ServerTools | McpFault;
}
