import { asObject, type JsonObject, withoutUndefined } from "../json.ts";
import { isStrictChatSchema } from "../strict-schema.ts";
import type { CustomTool, FunctionTool, HostedTool, NeutralTool } from "../neutral-request.ts";
import type { ResponsesWireObject } from "./wire.ts";
import { encodeResponsesWebSearch } from "./web-search.ts";
import { omitCacheBreakpoint, type ResponsesRequestEncodingContext } from "./encoding-context.ts";

type Callable = FunctionTool | CustomTool;

/** The tools in their order; those of one namespace stand together in it. */
export function encodeResponsesTools(
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  const written: ResponsesWireObject[] = [];
  const spaces = new Map<string, ResponsesWireObject[]>();
  for (const tool of writing.request.tools) {
    omitCacheBreakpoint(tool.cache, writing.warnings);
    const entry = encodeTool(tool, writing);
    if (tool.type === "hosted" || tool.namespace === undefined) written.push(entry);
    else spaceOf(tool, tool.namespace, spaces, written).push(entry);
  }
  return written;
}

function spaceOf(
  { namespaceDescription: description = "" }: Callable,
  name: string,
  spaces: Map<string, ResponsesWireObject[]>,
  written: ResponsesWireObject[],
): ResponsesWireObject[] {
  const known = spaces.get(name);
  if (known !== undefined) return known;
  const tools: ResponsesWireObject[] = [];
  spaces.set(name, tools);
  written.push({ type: "namespace", name, description, tools });
  return tools;
}

/** Whether the upstream runs the tool, or one that does the same: all of them search the web. */
export function isHostedToolSupported({ dialect, webSearch: search }: HostedTool): boolean {
  return dialect === "dialect_responses" || search !== undefined;
}

function encodeTool(
  tool: NeutralTool,
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  switch (tool.type) {
    case "function":
      return encodeFunction(tool, writing);
    case "search":
      return encodeSearcher(tool);
    case "custom":
      return withoutUndefined({
        type: "custom",
        name: toResponsesWireToolName(tool, writing),
        description: tool.description,
        format: flatFormat(tool.format),
      });
    case "hosted":
      return tool.webSearch !== undefined && tool.dialect !== "dialect_responses"
        ? encodeResponsesWebSearch(tool.webSearch, writing)
        : tool.raw;
  }
}

/** How a tool is called on the wire. */
export function toResponsesWireToolName(
  { name, namespace }: Callable,
  { names }: ResponsesRequestEncodingContext,
): string {
  return namespace === undefined ? names.of(name, undefined) : name;
}

function encodeFunction(
  tool: FunctionTool,
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  return withoutUndefined({
    type: "function",
    name: toResponsesWireToolName(tool, writing),
    description: tool.description,
    parameters: parametersOf(tool, writing),
    strict: encodeStrict(tool, writing),
    ...extrasOf(tool, writing),
  });
}

/** The caller runs it, which a function of the name would not say. */
function encodeSearcher({ description, parameters }: FunctionTool): ResponsesWireObject {
  return withoutUndefined({ type: "tool_search", execution: "client", description, parameters });
}

function parametersOf(
  { parameters }: FunctionTool,
  { request: turn }: ResponsesRequestEncodingContext,
): JsonObject | undefined {
  if (parameters !== undefined || turn.origin === "dialect_responses") return parameters;
  return { type: "object", properties: {} };
}

/** This dialect takes a tool that does not say so for strict; the others do not. */
function encodeStrict(
  tool: FunctionTool,
  writing: ResponsesRequestEncodingContext,
): boolean | undefined {
  const { request: turn, capabilities, warnings: ledger } = writing;
  const { strict, parameters = {} } = tool;
  if (turn.origin === "dialect_responses" || strict !== true) {
    return strict ?? (turn.origin === "dialect_responses" ? undefined : false);
  }
  const isFit = turn.origin !== "dialect_messages" || isStrictChatSchema(parameters);
  if (capabilities.strictTools && isFit) return true;
  ledger.drop(`${tool.path}.strict`, isFit ? "unsupported" : "schema");
  return false;
}

function extrasOf(
  { extras }: FunctionTool,
  { request: turn, warnings: ledger }: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  if (turn.origin === "dialect_responses") {
    return Object.fromEntries(extras.map(({ name, value }) => [name, value]));
  }
  for (const { path } of extras) ledger.drop(path, "unsupported");
  return {};
}

/** The grammar is an object of its own in chat and flat here. */
function flatFormat(format: unknown): unknown {
  const outer = asObject(format);
  const grammar = asObject(outer?.["grammar"]);
  if (grammar === undefined) return outer;
  return { type: "grammar", syntax: grammar["syntax"], definition: grammar["definition"] };
}
