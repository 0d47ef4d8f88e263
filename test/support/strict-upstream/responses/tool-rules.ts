import {
  asArrayOrEmpty,
  asObject,
  asString,
  type JsonObject,
} from "../../../../src/dialect/json.ts";
import {
  elements,
  extraInputs,
  violationIf,
  listViolations,
  repeated,
  type Violation,
} from "../violation.ts";
import { closedAndRequired, schemaFaults } from "../schema-faults.ts";

/** What tools and formats may be called. */
export const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

/** Members that the vendor does not know, in its words. */
export function unknownParameters(
  object: JsonObject,
  known: ReadonlySet<string>,
  path: string,
): readonly Violation[] {
  return extraInputs(object, known, path).map((fault) => ({
    ...fault,
    message: `Unknown parameter: '${fault.path}'.`,
  }));
}

const hosted = new Set([
  "web_search",
  "file_search",
  "code_interpreter",
  "image_generation",
  "mcp",
  "local_shell",
  "shell",
]);

/** Members of a tool by its type. */
const toolFields: Readonly<Record<string, readonly string[]>> = {
  function: ["name", "description", "parameters", "strict", "defer_loading", "allowed_callers"],
  custom: ["name", "description", "format", "defer_loading"],
  namespace: ["name", "description", "tools"],
  tool_search: ["execution", "description", "parameters"],
};

/** What the vendor refuses in a list of tools. */
export function toolFaults(tools: unknown, path: string): readonly Violation[] {
  const listed = elements(tools, path);
  const names = listed.map(([{ name, type }]) => asString(name) ?? `(${String(type)})`);
  return [
    ...listViolations(tools, path),
    ...violationIf(repeated(names).length > 0, path, "Tool names must be unique."),
    ...listed.flatMap(([tool, place]) => oneToolFaults(tool, place)),
  ];
}

function oneToolFaults(tool: JsonObject, path: string): readonly Violation[] {
  const type = String(tool["type"]);
  if (hosted.has(type)) return [];
  const known = toolFields[type];
  if (known === undefined) return [{ path: `${path}.type`, message: `Invalid value: '${type}'.` }];
  const isNamed = type === "tool_search" || toolName.test(String(tool["name"]));
  return [
    ...unknownParameters(tool, new Set(["type", ...known]), path),
    ...violationIf(
      !isNamed,
      `${path}.name`,
      "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ),
    ...(type === "namespace" ? toolFaults(tool["tools"], `${path}.tools`) : []),
    // The vendor makes a schema strict by itself where a tool does not say what it is.
    ...(type === "function" && tool["strict"] === true
      ? schemaFaults(tool["parameters"], `${path}.parameters`, closedAndRequired)
      : []),
  ];
}

/** What it refuses in `tool_choice`. */
export function choiceFaults({ tools, tool_choice: value }: JsonObject): readonly Violation[] {
  const choice = asObject(value);
  const names = asArrayOrEmpty(tools).map((tool) => asObject(tool)?.["name"]);
  const isNamed = choice?.["type"] === "function" || choice?.["type"] === "custom";
  return [
    ...violationIf(
      choice === undefined && ![undefined, "none", "auto", "required"].includes(value as string),
      "tool_choice",
      "Invalid value.",
    ),
    ...violationIf(
      value === "required" && names.length === 0,
      "tool_choice",
      "Tool choice 'required' needs 'tools'.",
    ),
    ...violationIf(
      isNamed && !names.includes(choice["name"]),
      "tool_choice",
      `Tool choice '${String(choice?.["name"])}' not found in 'tools' parameter.`,
    ),
  ];
}
