import { asString, type JsonObject } from "../json.ts";

/** Items that a caller is told, and no model reads. */
const callersItems: ReadonlySet<unknown> = new Set([
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_list_tools",
]);

/** Some clients send calls back without what came of them. */
const unsent = "The output of this call was not sent back.";

/** An item as a model of any vendor reads it: calls of MCP tools are calls of functions to it. */
export function modelItems(item: JsonObject): readonly JsonObject[] {
  if (callersItems.has(item["type"])) return [];
  if (item["type"] !== "mcp_call") return [item];
  const call_id = asString(item["id"]) ?? "";
  const { name, arguments: text, output, error } = item;
  const failed = error === null || error === undefined ? unsent : `Error: ${JSON.stringify(error)}`;
  return [
    { type: "function_call", call_id, name, arguments: text },
    { type: "function_call_output", call_id, output: asString(output) ?? failed },
  ];
}
