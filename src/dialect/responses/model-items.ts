import { parseToolArguments } from "../call-arguments.ts";
import { asArrayOrEmpty, asString, type JsonObject } from "../json.ts";

/** Items that a caller is told, and no model reads. */
const callersItems: ReadonlySet<unknown> = new Set([
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_list_tools",
]);

/** Some clients send calls back without what came of them. */
const unsent = "The output of this call was not sent back.";

/** An item as a model of any vendor reads it: calls of MCP tools are calls of functions to it. */
export function toResponsesModelReadableItems(item: JsonObject): readonly JsonObject[] {
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
  const outputs = indexOutputs(items);
  return items.map((item, place) => {
    const note = notes.get(item);
    if (note !== undefined) return { ...item, output: withNote(item["output"], note) };
    if (item["type"] !== "function_call") return item;
    const text = asString(item["arguments"]) ?? "";
    const read = parseToolArguments(text);
    if (text.trim() !== "" && "value" in read) return item;
    const output = nextOutput(outputs.get(item["call_id"]), place);
    if (output === undefined) return item;
    if ("error" in read) notes.set(output, `Error: ${read.error}`);
    return { ...item, arguments: "{}" };
  });
}

/** The outputs of one call id in their order. */
interface IndexedOutputs {
  readonly outputs: { readonly item: JsonObject; readonly place: number }[];
  /** Number of those in front of the call that was read last. */
  passed: number;
}

function indexOutputs(items: readonly JsonObject[]): ReadonlyMap<unknown, IndexedOutputs> {
  const index = new Map<unknown, IndexedOutputs>();
  for (const [place, item] of items.entries()) {
    if (item["type"] !== "function_call_output") continue;
    const known = index.get(item["call_id"]);
    if (known === undefined) index.set(item["call_id"], { outputs: [{ item, place }], passed: 0 });
    else known.outputs.push({ item, place });
  }
  return index;
}

/** Returns the first output behind a place. The calls come in their order. */
function nextOutput(indexed: IndexedOutputs | undefined, place: number): JsonObject | undefined {
  if (indexed === undefined) return undefined;
  const { outputs } = indexed;
  while ((outputs[indexed.passed]?.place ?? place) < place) indexed.passed += 1;
  return outputs[indexed.passed]?.item;
}

function withNote(output: unknown, note: string): unknown {
  if (typeof output === "string") return output.startsWith(note) ? output : `${note}\n${output}`;
  return [{ type: "input_text", text: note }, ...asArrayOrEmpty(output)];
}
