import type { TargetEncodingContext } from "../codec.ts";
import { formatCustomToolDescription, customToolInputSchema } from "../custom-tool.ts";
import { asObject, type JsonObject, withoutUndefined } from "../json.ts";
import { rejectHostedTool } from "../hosted-tools.ts";
import { isStrictChatSchema } from "../strict-schema.ts";
import type { CustomTool, FunctionTool, HostedTool, NeutralTool } from "../neutral-request.ts";
import type { ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";

/** The tools in their order, each a function but for first-party servers; undefined for none. */
export function encodeChatTools(
  tools: readonly NeutralTool[],
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] | undefined {
  return tools.length === 0 ? undefined : tools.map((tool) => encodeTool(tool, writing));
}

/** Whether the upstream runs the tool, or searches the web in place of it. */
export function isHostedToolSupported(
  { dialect, webSearch: search }: HostedTool,
  { capabilities }: TargetEncodingContext,
): boolean {
  const searches = search !== undefined && capabilities.serverTools.includes("web_search");
  return dialect === "dialect_chat" || searches;
}

function encodeTool(tool: NeutralTool, writing: ChatRequestEncodingContext): ChatWireObject {
  switch (tool.type) {
    case "function":
    case "search":
      return encodeFunction(tool, writing);
    case "custom":
      return writing.capabilities.firstParty ? encodeCustom(tool, writing) : wrap(tool, writing);
    case "hosted":
      // A search is an option beside the tools, and there is one at most.
      return tool.dialect === "dialect_chat" ? tool.raw : rejectHostedTool(tool, writing.warnings);
  }
}

function encodeFunction(tool: FunctionTool, writing: ChatRequestEncodingContext): ChatWireObject {
  for (const { path } of tool.extras) writing.warnings.drop(path, "unsupported");
  const named = withoutUndefined({
    name: writing.names.of(tool.name, tool.namespace),
    description: tool.description,
    parameters: tool.parameters,
    strict: encodeStrict(tool, writing),
  });
  return { type: "function", function: named };
}

/** Strict chat demands that every property is required; to make it so would change the schema. */
function encodeStrict(
  tool: FunctionTool,
  writing: ChatRequestEncodingContext,
): boolean | undefined {
  const { strict, parameters = {} } = tool;
  if (strict !== true) return strict;
  const { request: turn, capabilities, warnings: ledger } = writing;
  const isFit = turn.origin !== "dialect_messages" || isStrictChatSchema(parameters);
  if (capabilities.strictTools && isFit) return true;
  ledger.drop(`${tool.path}.strict`, isFit ? "unsupported" : "schema");
  return undefined;
}

function encodeCustom(tool: CustomTool, { names }: ChatRequestEncodingContext): ChatWireObject {
  const custom = withoutUndefined({
    name: names.of(tool.name, tool.namespace),
    description: tool.description,
    format: nestedFormat(tool.format),
  });
  return { type: "custom", custom };
}

/** The grammar is an object of its own here and flat in responses. */
function nestedFormat(format: unknown): unknown {
  const flat = asObject(format);
  if (flat?.["type"] !== "grammar" || flat["definition"] === undefined) return format ?? undefined;
  const { definition, syntax } = flat;
  return { type: "grammar", grammar: { definition, syntax } };
}

function wrap(
  tool: CustomTool,
  { names, warnings: ledger }: ChatRequestEncodingContext,
): ChatWireObject {
  ledger.approximate(tool.path, "wrapped");
  const parameters: JsonObject = customToolInputSchema;
  const name = names.of(tool.name, tool.namespace);
  return {
    type: "function",
    function: withoutUndefined({
      name,
      description: formatCustomToolDescription(tool),
      parameters,
    }),
  };
}
