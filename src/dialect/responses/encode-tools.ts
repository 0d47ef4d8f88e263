import { asObject, type JsonObject, withoutUndefined } from "../json.ts";
import { isStrictSchema } from "../strict-schema.ts";
import type { CustomTool, FunctionTool, HostedTool, Tool } from "../neutral-request.ts";
import type { WireObject } from "./wire.ts";
import { encodeWebSearch } from "./web-search.ts";
import { omitCacheBreakpoint, type EncodingContext } from "./encoding-context.ts";

type Callable = FunctionTool | CustomTool;

/** The tools in their order; those of one namespace stand together in it. */
export function encodeTools(writing: EncodingContext): readonly WireObject[] {
  const written: WireObject[] = [];
  const spaces = new Map<string, WireObject[]>();
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
  spaces: Map<string, WireObject[]>,
  written: WireObject[],
): WireObject[] {
  const known = spaces.get(name);
  if (known !== undefined) return known;
  const tools: WireObject[] = [];
  spaces.set(name, tools);
  written.push({ type: "namespace", name, description, tools });
  return tools;
}

/** Whether the upstream runs the tool, or one that does the same: all of them search the web. */
export function isHostedToolSupported({ dialect, webSearch: search }: HostedTool): boolean {
  return dialect === "dialect_responses" || search !== undefined;
}

function encodeTool(tool: Tool, writing: EncodingContext): WireObject {
  switch (tool.type) {
    case "function":
      return encodeFunction(tool, writing);
    case "search":
      return encodeSearcher(tool);
    case "custom":
      return withoutUndefined({
        type: "custom",
        name: wireToolName(tool, writing),
        description: tool.description,
        format: flatFormat(tool.format),
      });
    case "hosted":
      return tool.webSearch !== undefined && tool.dialect !== "dialect_responses"
        ? encodeWebSearch(tool.webSearch, writing)
        : tool.raw;
  }
}

/** How a tool is called on the wire. */
export function wireToolName({ name, namespace }: Callable, { names }: EncodingContext): string {
  return namespace === undefined ? names.of(name, undefined) : name;
}

function encodeFunction(tool: FunctionTool, writing: EncodingContext): WireObject {
  return withoutUndefined({
    type: "function",
    name: wireToolName(tool, writing),
    description: tool.description,
    parameters: parametersOf(tool, writing),
    strict: encodeStrict(tool, writing),
    ...extrasOf(tool, writing),
  });
}

/** The caller runs it, which a function of the name would not say. */
function encodeSearcher({ description, parameters }: FunctionTool): WireObject {
  return withoutUndefined({ type: "tool_search", execution: "client", description, parameters });
}

function parametersOf(
  { parameters }: FunctionTool,
  { request: turn }: EncodingContext,
): JsonObject | undefined {
  if (parameters !== undefined || turn.origin === "dialect_responses") return parameters;
  return { type: "object", properties: {} };
}

/** This dialect takes a tool that does not say so for strict; the others do not. */
function encodeStrict(tool: FunctionTool, writing: EncodingContext): boolean | undefined {
  const { request: turn, capabilities, warnings: ledger } = writing;
  const { strict, parameters = {} } = tool;
  if (turn.origin === "dialect_responses" || strict !== true) {
    return strict ?? (turn.origin === "dialect_responses" ? undefined : false);
  }
  const isFit = turn.origin !== "dialect_messages" || isStrictSchema(parameters);
  if (capabilities.strictTools && isFit) return true;
  ledger.drop(`${tool.path}.strict`, isFit ? "unsupported" : "schema");
  return false;
}

function extrasOf(
  { extras }: FunctionTool,
  { request: turn, warnings: ledger }: EncodingContext,
): WireObject {
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
