import type {
  ConformanceCaseRequest,
  ConformanceCaseToolCall,
  ConformanceCaseTool,
  ConformanceCaseMessage,
} from "../../case-request.ts";
import { objectOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";

/** The body of a chat completion. */
export function buildChatCaseRequest(ask: ConformanceCaseRequest, model: string): JsonObject {
  const { system, tools, maxTokens: cap, stop, schema } = ask;
  const leading = system === undefined ? [] : [{ role: "system", content: system }];
  return {
    model,
    messages: [...leading, ...ask.messages.flatMap(messagesOf)],
    ...(tools !== undefined && { tools: tools.map(toolOf) }),
    ...(ask.requiresToolCall === true && { tool_choice: "required" }),
    ...(cap !== undefined && {
      [ask.usesLegacyMaxTokens === true ? "max_tokens" : "max_completion_tokens"]: cap,
    }),
    ...(stop !== undefined && { stop }),
    ...(schema !== undefined && { response_format: formatOf(schema) }),
    ...ask.extra,
  };
}

function toolOf({ name, description, parameters }: ConformanceCaseTool): JsonObject {
  return { type: "function", function: { name, description, parameters } };
}

function formatOf(schema: JsonObject): JsonObject {
  return { type: "json_schema", json_schema: { name: "answer", schema, strict: true } };
}

function messagesOf(turn: ConformanceCaseMessage): JsonObject[] {
  switch (turn.type) {
    case "user":
    case "system":
      return [{ role: turn.type, content: turn.text }];
    case "image":
      return [{ role: "user", content: withImage(turn.text, turn.dataUrl) }];
    case "answer":
      return [objectOrEmpty(objectOrEmpty(asArrayOrEmpty(turn.body["choices"])[0])["message"])];
    case "calls":
      return [{ role: "assistant", content: null, tool_calls: turn.calls.map(callOf) }];
    case "results":
      return turn.results.map(({ id, text }) => ({
        role: "tool",
        tool_call_id: id,
        content: text,
      }));
  }
}

function withImage(text: string, url: string): JsonObject[] {
  return [
    { type: "text", text },
    { type: "image_url", image_url: { url } },
  ];
}

function callOf({ id, name, input }: ConformanceCaseToolCall): JsonObject {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}
