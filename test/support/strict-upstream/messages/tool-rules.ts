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
import { closedAndPlain, schemaFaults } from "../schema-faults.ts";

const toolFields = new Set([
  "type",
  "name",
  "description",
  "input_schema",
  "strict",
  "cache_control",
  "input_examples",
  "defer_loading",
  "eager_input_streaming",
  "allowed_callers",
]);
const hosted =
  /^(?:advisor|bash|browser|code_execution|computer|memory|text_editor|tool_search_tool|web_fetch|web_search)_/;

/** What the vendor refuses in `tools`. */
export function toolFaults({ tools }: JsonObject): readonly Violation[] {
  const listed = elements(tools, "tools");
  const names = listed.map(([{ name }]) => String(name));
  return [
    ...listViolations(tools, "tools"),
    ...listed.flatMap(([tool, path]) => oneToolFaults(tool, path)),
    ...violationIf(repeated(names).length > 0, "tools", "Tool names must be unique"),
  ];
}

function oneToolFaults(tool: JsonObject, path: string): readonly Violation[] {
  const type = asString(tool["type"]) ?? "custom";
  if (hosted.test(type)) return [];
  const schema = asObject(tool["input_schema"]);
  return [
    ...violationIf(
      type !== "custom",
      `${path}.type`,
      `Input tag '${type}' found using 'type' does not match any of the expected tags`,
    ),
    ...extraInputs(tool, toolFields, path),
    ...violationIf(
      !/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool["name"])),
      `${path}.name`,
      "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    ...violationIf(
      schema?.["type"] !== "object",
      `${path}.input_schema.type`,
      "Input should be 'object'",
    ),
    ...(tool["strict"] === true
      ? schemaFaults(schema, `${path}.input_schema`, closedAndPlain)
      : []),
  ];
}

/** What it refuses in `tool_choice`. */
export function choiceFaults({ tools, tool_choice: value }: JsonObject): readonly Violation[] {
  const choice = asObject(value);
  if (choice === undefined) return [];
  const names = asArrayOrEmpty(tools).map((tool) => asObject(tool)?.["name"]);
  const { type, name } = choice;
  return [
    ...extraInputs(choice, new Set(["type", "name", "disable_parallel_tool_use"]), "tool_choice"),
    ...violationIf(
      names.length === 0,
      "tool_choice",
      "may only be specified while providing `tools`",
    ),
    ...violationIf(
      type === "tool" && !names.includes(name),
      "tool_choice",
      `Tool '${String(name)}' not found in provided tools`,
    ),
    ...violationIf(
      type === "none" && "disable_parallel_tool_use" in choice,
      "tool_choice.none.disable_parallel_tool_use",
      "Extra inputs are not permitted",
    ),
  ];
}
