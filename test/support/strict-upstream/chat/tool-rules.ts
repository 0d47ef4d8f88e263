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
export const toolName = /^[A-Za-z0-9_-]{1,64}$/;

/** What a server refuses in `tools`. */
export function toolFaults({ tools }: JsonObject): readonly Violation[] {
  const listed = elements(tools, "tools");
  return [
    ...listViolations(tools, "tools"),
    ...violationIf(Array.isArray(tools) && listed.length === 0, "tools", "[] is too short"),
    ...violationIf(
      repeated(listed.map(([tool]) => nameOf(tool))).length > 0,
      "tools",
      "Tool names must be unique",
    ),
    ...listed.flatMap(([tool, path]) => oneToolFaults(tool, path)),
  ];
}

function oneToolFaults(tool: JsonObject, path: string): readonly Violation[] {
  const type = String(tool["type"]);
  const named = asObject(tool[type]) ?? {};
  const place = `${path}.${type}`;
  const known =
    type === "custom"
      ? ["name", "description", "format"]
      : ["name", "description", "parameters", "strict"];
  return [
    ...violationIf(
      type !== "function" && type !== "custom",
      `${path}.type`,
      `Invalid value: '${type}'`,
    ),
    ...extraInputs(tool, new Set(["type", type]), path),
    ...extraInputs(named, new Set(known), place),
    ...violationIf(
      !toolName.test(nameOf(tool)),
      `${place}.name`,
      "Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ),
    ...(named["strict"] === true
      ? schemaFaults(named["parameters"], `${place}.parameters`, closedAndRequired)
      : []),
  ];
}

function nameOf(tool: JsonObject): string {
  return asString((asObject(tool["function"]) ?? asObject(tool["custom"]))?.["name"]) ?? "";
}

/** What it refuses in the choice among them. */
export function choiceFaults({
  tools,
  tool_choice: value,
  parallel_tool_calls: parallel,
}: JsonObject): readonly Violation[] {
  const names = asArrayOrEmpty(tools).map((tool) => nameOf(asObject(tool) ?? {}));
  const choice = asObject(value);
  const name = choice === undefined ? undefined : nameOf(choice);
  const isNamed = choice?.["type"] === "function" || choice?.["type"] === "custom";
  return [
    ...violationIf(
      value !== undefined && names.length === 0,
      "tool_choice",
      "'tool_choice' is only allowed when 'tools' are specified",
    ),
    ...violationIf(
      parallel !== undefined && names.length === 0,
      "parallel_tool_calls",
      "'parallel_tool_calls' is only allowed when 'tools' are specified",
    ),
    ...violationIf(
      choice === undefined && ![undefined, "none", "auto", "required"].includes(value as string),
      "tool_choice",
      "Invalid value",
    ),
    ...violationIf(
      isNamed && !names.includes(name ?? ""),
      "tool_choice",
      `Tool choice '${String(name)}' not found in 'tools' parameter`,
    ),
  ];
}
