import {
  asArrayOrEmpty,
  asObject,
  asString,
  type JsonObject,
} from "../../../../src/dialect/json.ts";
import {
  conversation,
  type StrictRequest,
  type OfferedTool,
  type StrictOutput,
} from "../request.ts";
import { blocksOf } from "./block-rules.ts";

/** What a body of the messages dialect asks for. */
export function readMessages(body: JsonObject): StrictRequest {
  const thinking = asObject(body["thinking"])?.["type"];
  return {
    ...conversation(asArrayOrEmpty(body["messages"]).flatMap(readMessage), systemOf(body)),
    tools: asArrayOrEmpty(body["tools"]).flatMap(readTool),
    choice: readChoice(asObject(body["tool_choice"])),
    schema: schemaOf(body),
    cap: Number(body["max_tokens"]),
    stops: asArrayOrEmpty(body["stop_sequences"]).map(String),
    thinks: thinking === "enabled" || thinking === "adaptive",
  };
}

function systemOf({ system }: JsonObject): string {
  return textOf(blocksOf(system ?? [], "").map(([block]) => block));
}

/** A model that has no format for any JSON is asked for it in words. */
function schemaOf(body: JsonObject): JsonObject | undefined {
  const format = asObject(asObject(body["output_config"])?.["format"]);
  if (format !== undefined) return asObject(format["schema"]);
  return /one JSON object/.test(JSON.stringify(body["system"] ?? ""))
    ? { type: "object" }
    : undefined;
}

/** Results first, then what the user says beside them. */
function readMessage(value: unknown): readonly StrictOutput[] {
  const { role, content } = asObject(value) ?? {};
  const blocks = blocksOf(content, "").map(([block]) => block);
  const results = blocks.filter(({ type }) => type === "tool_result");
  const rest = blocks.filter(({ type }) => type !== "tool_result");
  const said: StrictOutput = {
    role: role as StrictOutput["role"],
    text: textOf(rest),
    hasImage: rest.some(({ type }) => type === "image"),
  };
  const heard = results.map((block): StrictOutput => ({
    role: "result",
    text: textOf(blocksOf(block["content"] ?? [], "").map(([inner]) => inner)),
  }));
  return rest.length === 0 ? heard : [...heard, said];
}

function textOf(blocks: readonly JsonObject[]): string {
  return blocks
    .map(({ text, tool_name: name }) => asString(text) ?? asString(name) ?? "")
    .join("\n");
}

function readTool(value: unknown): readonly OfferedTool[] {
  const tool = asObject(value) ?? {};
  if (!["custom", undefined].includes(asString(tool["type"]))) return [];
  const schema = asObject(tool["input_schema"]) ?? {};
  return [{ name: String(tool["name"]), kind: "function", schema }];
}

function readChoice(choice: JsonObject | undefined): string {
  if (choice?.["type"] === "any") return "required";
  return asString(choice?.["name"]) ?? asString(choice?.["type"]) ?? "auto";
}
