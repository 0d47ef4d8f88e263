import { parseToolArguments } from "../call-arguments.ts";
import { asElements, asString, type JsonObject } from "../json.ts";

/** Items that a caller is told, and no model reads. */
const callersItems: ReadonlySet<unknown> = new Set([
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_list_tools",
]);

/** Some clients send calls back without what came of them. */
const unsent = "The output of this call was not sent back.";

/** An item as a model of any vendor reads it: calls of MCP tools are calls of functions to it. */
export function toModelItems(item: JsonObject): readonly JsonObject[] {
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

/**
 * Returns the items with `{}` for the arguments of each answered call that are not one JSON
 * object, or too large for one, and with the error that says so at the beginning of its output: vendors refuse such
 * arguments. To be used wherever a model reads items: a thread may hold what a model wrote.
 */
export function replaceInvalidToolArguments(items: readonly JsonObject[]): readonly JsonObject[] {
  const notes = new Map<JsonObject, string>();
  return items.map((item, place) => {
    const note = notes.get(item);
    if (note !== undefined) return { ...item, output: withNote(item["output"], note) };
    if (item["type"] !== "function_call") return item;
    const text = asString(item["arguments"]) ?? "";
    const read = parseToolArguments(text);
    if (text.trim() !== "" && "value" in read) return item;
    const output = items.slice(place).find((one) => isOutputOf(one, item));
    if (output === undefined) return item;
    if ("error" in read) notes.set(output, `Error: ${read.error}`);
    return { ...item, arguments: "{}" };
  });
}

function isOutputOf({ type, call_id }: JsonObject, call: JsonObject): boolean {
  return type === "function_call_output" && call_id === call["call_id"];
}

function withNote(output: unknown, note: string): unknown {
  if (typeof output === "string") return output.startsWith(note) ? output : `${note}\n${output}`;
  return [{ type: "input_text", text: note }, ...asElements(output)];
}
