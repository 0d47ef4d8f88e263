import type { TargetContext } from "../codec.ts";
import { wrappedDescription, wrappedParameters } from "../custom-tool.ts";
import type { JsonObject } from "../json.ts";
import { reduceSchema } from "../strict-schema.ts";
import type { CustomTool, FunctionTool, HostedTool, Tool, Turn } from "../turn.ts";
import { refuseChoice } from "./encode-tool-choice.ts";
import { isConnected } from "./mcp-servers.ts";
import { canSearch, encodeSearch } from "./web-search.ts";
import type { WireObject } from "./wire.ts";
import { cacheControl, type Writing } from "./writing.ts";

/** The tools that may be called. */
export function encodeTools(writing: Writing): readonly WireObject[] {
  const allowed = allowedNames(writing);
  const { tools, search } = writing.turn;
  const own = tools.filter((tool) => tool.type !== "hosted" || !isConnected(writing, tool));
  const written = own.map((tool) => encodeTool(writing, tool));
  const left = written.filter(({ name }) => allowed === undefined || allowed.has(name));
  return search !== undefined && canSearch(writing)
    ? [...left, encodeSearch(writing, search)]
    : left;
}

function allowedNames({ turn, names, ledger }: Writing): ReadonlySet<unknown> | undefined {
  const choice = turn.toolChoice;
  if (choice?.kind !== "allowed") return undefined;
  return new Set(
    choice.names.map((name) => names.chosen(name) ?? refuseChoice(choice, name, ledger)),
  );
}

/** Whether the upstream runs the tool, or one that does the same. */
export function hasTool(tool: HostedTool, turn: Turn, target: TargetContext): boolean {
  const searches = tool.search !== undefined && canSearch(target);
  return tool.dialect === "dialect_messages" || searches || isConnected({ ...target, turn }, tool);
}

function encodeTool(writing: Writing, tool: Tool): WireObject {
  switch (tool.type) {
    case "function":
    case "search":
      return encodeFunction(writing, tool);
    case "custom":
      return encodeCustom(writing, tool);
    case "hosted":
      return tool.search !== undefined && tool.dialect !== "dialect_messages"
        ? encodeSearch(writing, tool.search)
        : { ...tool.raw };
  }
}

function encodeFunction(writing: Writing, tool: FunctionTool): WireObject {
  const isOwn = writing.turn.origin === "dialect_messages";
  if (!isOwn) for (const { path } of tool.extras) writing.ledger.drop(path, "unsupported");
  const own = isOwn ? tool.extras.map(({ name, value }) => [name, value] as const) : [];
  return {
    name: writing.names.of(tool.name, tool.namespace),
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...encodeParameters(writing, tool),
    ...Object.fromEntries(own),
    ...cacheControl(writing, tool.cache),
  };
}

/** A strict tool has its schema reduced to what the vendor enforces. */
function encodeParameters(writing: Writing, tool: FunctionTool): WireObject {
  const schema = objectSchema(tool.parameters);
  const { turn, capabilities, ledger } = writing;
  if (turn.origin === "dialect_messages" && tool.strict !== undefined) {
    return { input_schema: schema, strict: tool.strict };
  }
  if (tool.strict !== true) return { input_schema: schema };
  if (!capabilities.strictTools) {
    ledger.approximate(tool.path, "model");
    return { input_schema: schema };
  }
  const reduced = reduceSchema(schema);
  if (reduced.isChanged) ledger.approximate(tool.path, "schema");
  return { input_schema: reduced.schema, strict: true };
}

/** Arguments are an object, said or not. */
export function objectSchema(parameters: JsonObject | undefined): JsonObject {
  if (parameters === undefined) return { type: "object", properties: {} };
  return "type" in parameters ? parameters : { type: "object", ...parameters };
}

function encodeCustom(writing: Writing, tool: CustomTool): WireObject {
  writing.ledger.approximate(tool.path, "wrapped");
  const description = wrappedDescription(tool);
  return {
    name: writing.names.of(tool.name, tool.namespace),
    ...(description === undefined ? {} : { description }),
    input_schema: wrappedParameters,
    ...cacheControl(writing, tool.cache),
  };
}
