import { invalidRequest } from "../../platform/errors.ts";
import type { BodyReader } from "../body-reader.ts";
import type { LossLedger } from "../loss.ts";
import type { CustomTool, FunctionTool, Tool, ToolChoice } from "../turn.ts";
import { decodeSearch } from "./decode-search.ts";

/** Where a tool of a namespace belongs. */
type Place = Pick<FunctionTool, "namespace" | "namespaceDescription">;

/** Tools: functions, custom ones, namespaces of both; every other type is the vendor's own. */
export function decodeTools(body: BodyReader, ledger: LossLedger): readonly Tool[] {
  return body.objects("tools").flatMap((tool) => decodeTool(tool, ledger));
}

function decodeTool(tool: BodyReader, ledger: LossLedger): readonly Tool[] {
  const type = tool.requiredString("type");
  if (type === "function") return [decodeFunction(tool, {})];
  if (type === "custom") return [decodeCustom(tool, {}, ledger)];
  if (type === "namespace") return decodeNamespace(tool, ledger);
  if (type === "tool_search" && tool.value["execution"] === "client") return [decodeSearcher(tool)];
  const { path, value: raw } = tool;
  const search = decodeSearch(tool, type);
  return [{ type: "hosted", path, dialect: "dialect_responses", name: type, raw, search }];
}

/** Other dialects have no place for what a namespace says of itself. */
function decodeNamespace(space: BodyReader, ledger: LossLedger): readonly Tool[] {
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

function decodeFunction(tool: BodyReader, place: Place): FunctionTool {
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
function decodeSearcher(tool: BodyReader): FunctionTool {
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

function decodeCustom(tool: BodyReader, place: Place, ledger: LossLedger): CustomTool {
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

/** `tool_choice`; a tool that it names must be there. */
export function decodeToolChoice(body: BodyReader, tools: readonly Tool[]): ToolChoice | undefined {
  const choice = body.value["tool_choice"];
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === "string") return wordChoice(choice);
  const reader = body.object("tool_choice");
  return reader === undefined ? undefined : objectChoice(reader, tools);
}

function wordChoice(word: string): ToolChoice {
  const path = "tool_choice";
  if (word === "none" || word === "auto" || word === "required") return { path, kind: word };
  throw invalidRequest(path, "`tool_choice` is `none`, `auto`, `required` or an object.");
}

function objectChoice(choice: BodyReader, tools: readonly Tool[]): ToolChoice {
  const { path } = choice;
  switch (choice.requiredString("type")) {
    case "function":
    case "custom":
      return { path, kind: "tool", name: knownName(choice, tools) };
    case "allowed_tools":
      return allowedChoice(choice, tools);
    default:
      return { path, kind: "opaque", dialect: "dialect_responses", raw: choice.value };
  }
}

function allowedChoice(choice: BodyReader, tools: readonly Tool[]): ToolChoice {
  const names = choice.objects("tools").map((tool) => {
    if (["function", "custom"].includes(tool.requiredString("type"))) return knownName(tool, tools);
    throw invalidRequest(tool.pathOf("type"), "Only tools of the caller can be allowed here.");
  });
  return {
    path: choice.path,
    kind: "allowed",
    names,
    isRequired: choice.string("mode") === "required",
  };
}

function knownName(reader: BodyReader, tools: readonly Tool[]): string {
  const name = reader.requiredString("name");
  if (tools.some((tool) => tool.type !== "hosted" && tool.name === name)) return name;
  throw invalidRequest("tool_choice", `\`tools\` has no tool \`${name}\` to choose.`);
}
