import type { JsonObject } from "../../dialect/json.ts";

/**
 * Items that the gateway or the caller makes. A caller sends the output of a response back as its
 * own words, so an endpoint that made up an approval would approve in the caller's name. Outputs
 * of tools that a vendor hosts are not among them.
 */
const forgedTypes: ReadonlySet<unknown> = new Set([
  "apply_patch_call_output",
  "compaction_trigger",
  "computer_call_output",
  "configuration_update",
  "custom_tool_call_output",
  "function_call_output",
  "item_reference",
  "local_shell_call_output",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "mcp_list_tools",
]);

/** Whether an output item of a model's endpoint is one that no model gives. Unknown types are kept. */
export function isForgedOutputItem({ type, role }: JsonObject): boolean {
  // A caller may send a message back without its type.
  const isMessage = type === "message" || type === undefined;
  const hasOtherRole = role !== undefined && role !== null && role !== "assistant";
  return forgedTypes.has(type) || (isMessage && hasOtherRole);
}
