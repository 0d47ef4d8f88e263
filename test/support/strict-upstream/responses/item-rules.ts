import { asString, type JsonObject } from "../../../../src/dialect/json.ts";
import {
  elements,
  extraInputs,
  violationIf,
  isObjectText,
  repeated,
  type Violation,
} from "../violation.ts";
import { signatureOf } from "../signature.ts";
import { toolName } from "./tool-rules.ts";

/** Members of an item by its type, besides `type`, `id` and `status`. */
const members: Readonly<Record<string, readonly string[]>> = {
  message: ["role", "content", "phase"],
  reasoning: ["summary", "content", "encrypted_content"],
  function_call: ["call_id", "name", "arguments", "namespace"],
  function_call_output: ["call_id", "output"],
  custom_tool_call: ["call_id", "name", "input", "namespace"],
  custom_tool_call_output: ["call_id", "output"],
  tool_search_call: ["call_id", "execution", "arguments"],
  tool_search_output: ["call_id", "execution", "tools"],
  additional_tools: ["role", "tools"],
  configuration_update: ["reasoning", "text"],
};

/** What an item's own id begins with. */
const prefixes: Readonly<Record<string, string>> = {
  message: "msg_",
  reasoning: "rs_",
  function_call: "fc_",
  custom_tool_call: "ctc_",
  tool_search_call: "tsc_",
};

/** What a vendor refuses in `input`. */
export function inputFaults({ input }: JsonObject): readonly Violation[] {
  if (typeof input === "string") return [];
  const items = elements(input, "input");
  if (items.length === 0)
    return [{ path: "input", message: "Missing required parameter: 'input'." }];
  return [
    ...items.flatMap(([item, path]) => itemFaults(item, path)),
    ...pairFaults(items.map(([item]) => item)),
  ];
}

function itemFaults(item: JsonObject, path: string): readonly Violation[] {
  const type = asString(item["type"]) ?? "message";
  const known = members[type];
  if (known === undefined) return [{ path: `${path}.type`, message: `Invalid value: '${type}'.` }];
  const id = asString(item["id"]) ?? prefixes[type] ?? "";
  return [
    ...extraInputs(item, new Set(["type", "id", "status", ...known]), path),
    ...violationIf(
      !id.startsWith(prefixes[type] ?? ""),
      `${path}.id`,
      `Expected an ID that begins with '${String(prefixes[type])}'.`,
    ),
    ...typeFaults(type, item, path),
  ];
}

function typeFaults(type: string, item: JsonObject, path: string): readonly Violation[] {
  switch (type) {
    case "message":
      return messageFaults(item, path);
    case "reasoning":
      return thoughtFaults(item, path);
    case "function_call":
      return [
        ...callFaults(item, path),
        ...violationIf(
          !isObjectText(item["arguments"]),
          `${path}.arguments`,
          "Expected the JSON text of an object.",
        ),
      ];
    case "custom_tool_call":
      return callFaults(item, path);
    case "function_call_output":
    case "custom_tool_call_output":
      return outputFaults(item, path);
    default:
      return [];
  }
}

function callFaults({ call_id: id, name }: JsonObject, path: string): readonly Violation[] {
  return [
    ...violationIf(
      !/^.{1,64}$/.test(asString(id) ?? ""),
      `${path}.call_id`,
      "Expected a string with maximum length 64.",
    ),
    ...violationIf(
      !toolName.test(String(name)),
      `${path}.name`,
      "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ),
  ];
}

/** What was thought comes back as it was given, and with what followed it. */
function thoughtFaults(
  { id, encrypted_content: sealed }: JsonObject,
  path: string,
): readonly Violation[] {
  return violationIf(
    sealed !== signatureOf(String(id)),
    `${path}.encrypted_content`,
    "The encrypted content could not be verified.",
  );
}

const said = ["output_text", "refusal"];
const asked = ["input_text", "input_image", "input_file"];

function messageFaults({ role, content }: JsonObject, path: string): readonly Violation[] {
  const isKnown = ["user", "assistant", "system", "developer"].includes(String(role));
  const types = role === "assistant" ? said : asked;
  return [
    ...violationIf(!isKnown, `${path}.role`, `Invalid value: '${String(role)}'.`),
    ...partFaults(content, `${path}.content`, types),
  ];
}

function outputFaults({ output }: JsonObject, path: string): readonly Violation[] {
  return partFaults(output, `${path}.output`, asked);
}

const partMembers = new Set([
  "type",
  "text",
  "annotations",
  "logprobs",
  "refusal",
  "image_url",
  "detail",
  "file_data",
  "file_url",
  "filename",
]);

function partFaults(
  content: unknown,
  path: string,
  types: readonly string[],
): readonly Violation[] {
  if (typeof content === "string") return [];
  if (!Array.isArray(content)) return [{ path, message: "Expected a string or parts." }];
  return elements(content, path).flatMap(([part, place]) => [
    ...violationIf(
      !types.includes(String(part["type"])),
      `${place}.type`,
      `Invalid value: '${String(part["type"])}'.`,
    ),
    ...extraInputs(part, partMembers, place),
  ]);
}

const outputOf: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
  tool_search_call: "tool_search_output",
};

/** Every call has its one output, of its kind and behind it. */
function pairFaults(items: readonly JsonObject[]): readonly Violation[] {
  const idOf = (item: JsonObject) => String(item["call_id"]);
  const calls = items.filter(({ type }) => String(type) in outputOf);
  const outputs = items.filter(({ type }) => Object.values(outputOf).includes(String(type)));
  const unanswered = calls.find((call) => !items.some((item) => answers(item, call, items)));
  const orphan = outputs.find((item) => !calls.some((call) => idOf(call) === idOf(item)));
  return [
    ...violationIf(
      unanswered !== undefined,
      "input",
      `No tool output found for function call ${String(unanswered?.["call_id"])}.`,
    ),
    ...violationIf(
      orphan !== undefined,
      "input",
      `No tool call found for function call output with call_id ${String(orphan?.["call_id"])}.`,
    ),
    ...violationIf(repeated(outputs.map(idOf)).length > 0, "input", "A call has two outputs."),
  ];
}

function answers(item: JsonObject, call: JsonObject, items: readonly JsonObject[]): boolean {
  const isItsKind = item["type"] === outputOf[String(call["type"])];
  return (
    isItsKind && item["call_id"] === call["call_id"] && items.indexOf(item) > items.indexOf(call)
  );
}
