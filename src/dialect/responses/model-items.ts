import { parseCallArguments, unreadableArguments } from "../call-arguments.ts";
import { asArray, asString, type JsonObject } from "../json.ts";

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

const unread = `Error: ${unreadableArguments}`;

/**
 * Returns the items with `{}` for the arguments of each answered call that are not one JSON
 * object, and with the error that says so at the beginning of its output: vendors refuse such
 * arguments. To be used wherever a model reads items: a thread may hold what a model wrote.
 */
export function readableCalls(items: readonly JsonObject[]): readonly JsonObject[] {
  const noted = new Set<JsonObject>();
  return items.map((item, place) => {
    if (noted.has(item)) return { ...item, output: withNote(item["output"]) };
    if (item["type"] !== "function_call") return item;
    const text = asString(item["arguments"]) ?? "";
    if (text.trim() !== "" && parseCallArguments(text) !== undefined) return item;
    const output = items.slice(place).find((one) => isOutputOf(one, item));
    if (output === undefined) return item;
    if (text.trim() !== "") noted.add(output);
    return { ...item, arguments: "{}" };
  });
}

function isOutputOf({ type, call_id }: JsonObject, call: JsonObject): boolean {
  return type === "function_call_output" && call_id === call["call_id"];
}

function withNote(output: unknown): unknown {
  if (typeof output === "string")
    return output.startsWith(unread) ? output : `${unread}\n${output}`;
  return [{ type: "input_text", text: unread }, ...asArray(output)];
}
