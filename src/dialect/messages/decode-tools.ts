import type { RequestFieldReader } from "../body-reader.ts";
import type { FunctionTool, NeutralTool } from "../neutral-request.ts";
import { decodeMessagesCacheControl } from "./decode-cache.ts";
import { decodeMessagesWebSearchOptions } from "./web-search.ts";

/** Tools: `custom` ones are the caller's, every other type names a tool of the vendor. */
export function decodeMessagesTools(body: RequestFieldReader): readonly NeutralTool[] {
  return body.objects("tools").map(decodeMessagesTool);
}

export function decodeMessagesTool(tool: RequestFieldReader): NeutralTool {
  const type = tool.string("type");
  if (type === undefined || type === "custom") return decodeFunction(tool);
  return {
    type: "hosted",
    path: tool.path,
    cache: decodeMessagesCacheControl(tool),
    dialect: "dialect_messages",
    name: type,
    raw: tool.value,
    webSearch: decodeMessagesWebSearchOptions(tool, type),
  };
}

const functionFields: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "input_schema",
  "strict",
  "cache_control",
]);

/** What else a tool holds (`defer_loading`, `input_examples`, …) must not leak into its parameters. */
function decodeFunction(tool: RequestFieldReader): FunctionTool {
  const extras = tool.unknownNames(functionFields).filter((name) => tool.has(name));
  return {
    type: "function",
    path: tool.path,
    cache: decodeMessagesCacheControl(tool),
    name: tool.requiredString("name"),
    description: tool.string("description"),
    parameters: tool.object("input_schema")?.value,
    strict: tool.boolean("strict"),
    extras: extras.map((name) => ({ name, path: tool.pathOf(name), value: tool.value[name] })),
  };
}
