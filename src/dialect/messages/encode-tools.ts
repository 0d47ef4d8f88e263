import type { TargetEncodingContext } from "../codec.ts";
import { formatCustomToolDescription, customToolInputSchema } from "../custom-tool.ts";
import type { JsonObject } from "../json.ts";
import { reduceToMessagesStrictSchema } from "../strict-schema.ts";
import type {
  CustomTool,
  FunctionTool,
  HostedTool,
  NeutralTool,
  NeutralRequest,
} from "../neutral-request.ts";
import { rejectMessagesUnknownToolChoice } from "./encode-tool-choice.ts";
import { isMcpServerCalledByVendor } from "./mcp-servers.ts";
import { isWebSearchSupported, encodeMessagesWebSearch } from "./web-search.ts";
import type { MessagesWireObject } from "./wire.ts";
import {
  encodeMessagesCacheControl,
  type MessagesRequestEncodingContext,
} from "./encoding-context.ts";

/** The tools that may be called. */
export function encodeMessagesTools(
  writing: MessagesRequestEncodingContext,
): readonly MessagesWireObject[] {
  const allowed = allowedNames(writing);
  const { tools, search } = writing.request;
  const own = tools.filter(
    (tool) => tool.type !== "hosted" || !isMcpServerCalledByVendor(writing, tool),
  );
  const written = own.map((tool) => encodeTool(writing, tool));
  const left = written.filter(({ name }) => allowed === undefined || allowed.has(name));
  return search !== undefined && isWebSearchSupported(writing)
    ? [...left, encodeMessagesWebSearch(writing, search)]
    : left;
}

function allowedNames({
  request: turn,
  names,
  warnings: ledger,
}: MessagesRequestEncodingContext): ReadonlySet<unknown> | undefined {
  const choice = turn.toolChoice;
  if (choice?.kind !== "allowed") return undefined;
  return new Set(
    choice.names.map(
      (name) => names.chosen(name) ?? rejectMessagesUnknownToolChoice(choice, name, ledger),
    ),
  );
}

/** Whether the upstream runs the tool, or one that does the same. */
export function isHostedToolSupported(
  tool: HostedTool,
  turn: NeutralRequest,
  target: TargetEncodingContext,
): boolean {
  const searches = tool.webSearch !== undefined && isWebSearchSupported(target);
  return (
    tool.dialect === "dialect_messages" ||
    searches ||
    isMcpServerCalledByVendor({ ...target, request: turn }, tool)
  );
}

function encodeTool(
  writing: MessagesRequestEncodingContext,
  tool: NeutralTool,
): MessagesWireObject {
  switch (tool.type) {
    case "function":
    case "search":
      return encodeFunction(writing, tool);
    case "custom":
      return encodeCustom(writing, tool);
    case "hosted":
      return tool.webSearch !== undefined && tool.dialect !== "dialect_messages"
        ? encodeMessagesWebSearch(writing, tool.webSearch)
        : { ...tool.raw };
  }
}

function encodeFunction(
  writing: MessagesRequestEncodingContext,
  tool: FunctionTool,
): MessagesWireObject {
  const isOwn = writing.request.origin === "dialect_messages";
  if (!isOwn) for (const { path } of tool.extras) writing.warnings.drop(path, "unsupported");
  const own = isOwn ? tool.extras.map(({ name, value }) => [name, value] as const) : [];
  return {
    name: writing.names.of(tool.name, tool.namespace),
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...encodeParameters(writing, tool),
    ...Object.fromEntries(own),
    ...encodeMessagesCacheControl(writing, tool.cache),
  };
}

/** A strict tool has its schema reduced to what the vendor enforces. */
function encodeParameters(
  writing: MessagesRequestEncodingContext,
  tool: FunctionTool,
): MessagesWireObject {
  const schema = toMessagesToolInputSchema(tool.parameters);
  const { request: turn, capabilities, warnings: ledger } = writing;
  if (turn.origin === "dialect_messages" && tool.strict !== undefined) {
    return { input_schema: schema, strict: tool.strict };
  }
  if (tool.strict !== true) return { input_schema: schema };
  if (!capabilities.strictTools) {
    ledger.approximate(tool.path, "model");
    return { input_schema: schema };
  }
  const reduced = reduceToMessagesStrictSchema(schema);
  if (reduced.isChanged) ledger.approximate(tool.path, "schema");
  return { input_schema: reduced.schema, strict: true };
}

/** Arguments are an object, said or not. */
export function toMessagesToolInputSchema(parameters: JsonObject | undefined): JsonObject {
  if (parameters === undefined) return { type: "object", properties: {} };
  return "type" in parameters ? parameters : { type: "object", ...parameters };
}

function encodeCustom(
  writing: MessagesRequestEncodingContext,
  tool: CustomTool,
): MessagesWireObject {
  writing.warnings.approximate(tool.path, "wrapped");
  const description = formatCustomToolDescription(tool);
  return {
    name: writing.names.of(tool.name, tool.namespace),
    ...(description === undefined ? {} : { description }),
    input_schema: customToolInputSchema,
    ...encodeMessagesCacheControl(writing, tool.cache),
  };
}
