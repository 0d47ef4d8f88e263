import { isJsonObject, type JsonObject } from "../../../platform/json-value.ts";
import { sanitizeToolSchema } from "./limit-schema.ts";
import { sanitizeToolText } from "./plain-text.ts";

/** A tool of an MCP server, as a model may be offered it. */
export interface ListedMcpTool {
  /** As the server calls it. */
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: JsonObject;
  /** Calling it twice does what calling it once does, the server says. */
  readonly canRetry: boolean;
  /** Calling it changes nothing, the server says. */
  readonly isReadOnly: boolean;
  /** What else it says of it, as far as the protocol has a word for it. */
  readonly annotations: JsonObject;
}

/** What a server offers, in the order of the names. */
export interface McpToolList {
  readonly tools: readonly ListedMcpTool[];
  /** Names of those whose schema cannot be offered. */
  readonly omitted: readonly string[];
}

/** More than any that people give their tools. */
const maxNameLength = 256;
/** The shortest limit that upstreams have. */
const maxDescriptionLength = 1024;

/**
 * Reads what a server lists: each name once, what it says of a tool cut to a
 * reasonable length. `redact` takes secrets out before that.
 */
export function parseMcpToolList(
  listed: readonly JsonObject[],
  redact: (text: string) => string = String,
): McpToolList {
  const byName = new Map<string, JsonObject>();
  for (const tool of listed) {
    const { name } = tool;
    const isName = typeof name === "string" && name !== "" && name.length <= maxNameLength;
    if (isName && !byName.has(name)) byName.set(name, tool);
  }
  const read = [...byName]
    .toSorted(byCodeUnits)
    .map(([name, tool]) => readTool(name, tool, redact));
  return {
    tools: read.filter((tool) => typeof tool !== "string"),
    omitted: read.filter((tool) => typeof tool === "string"),
  };
}

/** The tool, or the name of one whose schema cannot be offered. */
function readTool(
  name: string,
  tool: JsonObject,
  redact: (text: string) => string,
): ListedMcpTool | string {
  const { title, description, inputSchema, annotations } = tool;
  const parameters = sanitizeToolSchema(inputSchema);
  if (parameters === undefined) return name;
  const said = [description, title].filter((text) => typeof text === "string").find(Boolean);
  const hints = isJsonObject(annotations) ? annotations : {};
  return {
    name,
    description:
      said === undefined ? undefined : sanitizeToolText(redact(said), maxDescriptionLength),
    parameters,
    canRetry: hints["readOnlyHint"] === true || hints["idempotentHint"] === true,
    isReadOnly: hints["readOnlyHint"] === true,
    annotations: knownHints(hints),
  };
}

const hintNames: ReadonlySet<string> = new Set([
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
]);

function knownHints(hints: JsonObject): JsonObject {
  const known = Object.entries(hints).filter(
    ([name, value]) => hintNames.has(name) && typeof value === "boolean",
  );
  return Object.fromEntries(known);
}

/** The same on every machine, whatever its language. */
function byCodeUnits([one]: readonly [string, unknown], [other]: readonly [string, unknown]) {
  return one < other ? -1 : 1;
}
