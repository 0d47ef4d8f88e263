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

/** What a body of the responses dialect asks for. */
export function readResponses(body: JsonObject): StrictRequest {
  const items =
    typeof body["input"] === "string"
      ? [{ role: "user", content: body["input"] }]
      : asArrayOrEmpty(body["input"]);
  const format = asObject(asObject(body["text"])?.["format"]);
  const effort = asObject(body["reasoning"])?.["effort"];
  const brought = items.flatMap((item) => asArrayOrEmpty(asObject(item)?.["tools"]));
  return {
    ...conversation(items.flatMap(readItem), asString(body["instructions"])),
    tools: [...asArrayOrEmpty(body["tools"]), ...brought].flatMap((tool) =>
      readTool(tool, undefined),
    ),
    choice: readChoice(body["tool_choice"]),
    schema:
      asObject(format?.["schema"]) ??
      (format?.["type"] === "json_object" ? { type: "object" } : undefined),
    cap: Number(body["max_output_tokens"] ?? 1000),
    stops: [],
    thinks: effort !== undefined && effort !== "none",
  };
}

function readItem(value: unknown): readonly StrictOutput[] {
  const item = asObject(value) ?? {};
  switch (item["type"] ?? "message") {
    case "message": {
      const role = item["role"] === "developer" ? "system" : (item["role"] as StrictOutput["role"]);
      return [{ role, ...readParts(item["content"]) }];
    }
    case "function_call":
    case "custom_tool_call":
    case "tool_search_call":
      return [{ role: "assistant", text: "" }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "result", text: readParts(item["output"]).text }];
    case "tool_search_output":
      return [{ role: "result", text: "tools" }];
    default:
      return [];
  }
}

function readParts(content: unknown): Pick<StrictOutput, "text" | "hasImage"> {
  if (typeof content === "string") return { text: content };
  const parts = asArrayOrEmpty(content).map((part) => asObject(part));
  return {
    text: parts.map((part) => asString(part?.["text"]) ?? "").join("\n"),
    hasImage: parts.some((part) => part?.["type"] === "input_image"),
  };
}

function readTool(value: unknown, namespace: string | undefined): readonly OfferedTool[] {
  const tool = asObject(value) ?? {};
  const schema = asObject(tool["parameters"]) ?? {};
  const name = asString(tool["name"]) ?? "";
  switch (tool["type"]) {
    case "namespace":
      return asArrayOrEmpty(tool["tools"]).flatMap((inner) => readTool(inner, name));
    case "function":
      return [{ name, namespace, kind: "function", schema }];
    case "custom":
      return [{ name, namespace, kind: "custom", schema }];
    case "tool_search":
      return [{ name: "tool_search", kind: "search", schema }];
    default:
      return [];
  }
}

function readChoice(value: unknown): string {
  return asString(asObject(value)?.["name"]) ?? asString(value) ?? "auto";
}
