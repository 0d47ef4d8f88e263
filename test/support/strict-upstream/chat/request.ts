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

/** What a body of the chat dialect asks for. */
export function readChat(body: JsonObject): StrictRequest {
  const format = asObject(body["response_format"]);
  const schema = asObject(asObject(format?.["json_schema"])?.["schema"]);
  const stop = body["stop"];
  return {
    ...conversation(asArrayOrEmpty(body["messages"]).map(readMessage)),
    tools: asArrayOrEmpty(body["tools"]).map(readTool),
    choice: readChoice(body["tool_choice"]),
    schema: schema ?? (format?.["type"] === "json_object" ? { type: "object" } : undefined),
    cap: Number(body["max_completion_tokens"] ?? body["max_tokens"] ?? 1000),
    stops: typeof stop === "string" ? [stop] : asArrayOrEmpty(stop).map(String),
    thinks: !["none", undefined].includes(asString(body["reasoning_effort"])),
  };
}

const roles = new Map<unknown, StrictOutput["role"]>([
  ["tool", "result"],
  ["developer", "system"],
]);

function readMessage(value: unknown): StrictOutput {
  const { role, content } = asObject(value) ?? {};
  const parts = asArrayOrEmpty(content).map((part) => asObject(part));
  return {
    role: roles.get(role) ?? (role as StrictOutput["role"]),
    text: asString(content) ?? parts.map((part) => asString(part?.["text"]) ?? "").join("\n"),
    hasImage: parts.some((part) => part?.["type"] === "image_url"),
  };
}

function readTool(value: unknown): OfferedTool {
  const tool = asObject(value) ?? {};
  const named = asObject(tool["function"]) ?? asObject(tool["custom"]);
  return {
    name: asString(named?.["name"]) ?? "",
    kind: tool["type"] === "custom" ? "custom" : "function",
    schema: asObject(named?.["parameters"]) ?? {},
  };
}

function readChoice(value: unknown): string {
  const choice = asObject(value);
  const named = asObject(choice?.["function"]) ?? asObject(choice?.["custom"]);
  return asString(named?.["name"]) ?? asString(value) ?? "auto";
}
