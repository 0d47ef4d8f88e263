import type { RequestFieldReader } from "../body-reader.ts";
import type { ConversionWarningCollector } from "../conversion-warning.ts";
import type { CustomTool, FunctionTool, NeutralTool } from "../neutral-request.ts";
import { decodeResponsesWebSearchOptions } from "./web-search.ts";

/** Where a tool of a namespace belongs. */
type Place = Pick<FunctionTool, "namespace" | "namespaceDescription">;

/** Tools: functions, custom ones, namespaces of both; every other type is the vendor's own. */
export function decodeResponsesTools(
  body: RequestFieldReader,
  ledger: ConversionWarningCollector,
): readonly NeutralTool[] {
  return body.objects("tools").flatMap((tool) => decodeTool(tool, ledger));
}

function decodeTool(
  tool: RequestFieldReader,
  ledger: ConversionWarningCollector,
): readonly NeutralTool[] {
  const type = tool.requiredString("type");
  if (type === "function") return [decodeFunction(tool, {})];
  if (type === "custom") return [decodeCustom(tool, {}, ledger)];
  if (type === "namespace") return decodeNamespace(tool, ledger);
  if (type === "tool_search" && tool.value["execution"] === "client") return [decodeSearcher(tool)];
  const { path, value: raw } = tool;
  const search = decodeResponsesWebSearchOptions(tool, type);
  return [
    { type: "hosted", path, dialect: "dialect_responses", name: type, raw, webSearch: search },
  ];
}

/** Other dialects have no place for what a namespace says of itself. */
function decodeNamespace(
  space: RequestFieldReader,
  ledger: ConversionWarningCollector,
): readonly NeutralTool[] {
  const namespace = space.requiredString("name");
  const namespaceDescription = space.string("description");
  if (namespaceDescription !== undefined && namespaceDescription !== "") {
    ledger.drop(space.pathOf("description"), "unsupported");
  }
  const place = { namespace, namespaceDescription };
  return space
    .objects("tools")
    .map((tool) =>
      tool.string("type") === "custom"
        ? decodeCustom(tool, place, ledger)
        : decodeFunction(tool, place),
    );
}

const functionFields: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "parameters",
  "strict",
]);

function decodeFunction(tool: RequestFieldReader, place: Place): FunctionTool {
  const extras = tool.unknownNames(functionFields).filter((name) => tool.has(name));
  return {
    type: "function",
    path: tool.path,
    name: tool.requiredString("name"),
    ...place,
    description: tool.string("description"),
    parameters: tool.object("parameters")?.value,
    strict: tool.boolean("strict"),
    extras: extras.map((name) => ({ name, path: tool.pathOf(name), value: tool.value[name] })),
  };
}

/** The caller's own search for further tools, which the others know as any function. */
function decodeSearcher(tool: RequestFieldReader): FunctionTool {
  return {
    type: "search",
    path: tool.path,
    name: "tool_search",
    description: tool.string("description"),
    parameters: tool.object("parameters")?.value,
    strict: undefined,
    extras: [],
  };
}

const customFields: ReadonlySet<string> = new Set(["type", "name", "description", "format"]);

function decodeCustom(
  tool: RequestFieldReader,
  place: Place,
  ledger: ConversionWarningCollector,
): CustomTool {
  for (const name of tool.unknownNames(customFields)) {
    if (tool.has(name)) ledger.drop(tool.pathOf(name), "unsupported");
  }
  return {
    type: "custom",
    path: tool.path,
    name: tool.requiredString("name"),
    ...place,
    description: tool.string("description"),
    format: tool.object("format")?.value,
  };
}
