import type {
  ConformanceCaseRequest,
  ConformanceCaseTool,
  ConformanceCaseMessage,
} from "../../case-request.ts";
import { objectOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";

/** Where the ask names no cap: enough for every case, with some thinking before it. */
const defaultCap = 2048;

/** The body of a message. */
export function buildMessagesCaseRequest(ask: ConformanceCaseRequest, model: string): JsonObject {
  const { system, tools, stop, schema } = ask;
  return {
    model,
    max_tokens: ask.maxTokens ?? defaultCap,
    ...(system !== undefined && { system }),
    messages: ask.messages.map(messageOf),
    ...(tools !== undefined && { tools: tools.map(toolOf) }),
    ...(ask.requiresToolCall === true && { tool_choice: { type: "any" } }),
    ...(stop !== undefined && { stop_sequences: stop }),
    ...(schema !== undefined && { output_config: { format: { type: "json_schema", schema } } }),
    ...ask.extra,
  };
}

function toolOf({ name, description, parameters }: ConformanceCaseTool): JsonObject {
  return { name, description, input_schema: parameters };
}

function messageOf(turn: ConformanceCaseMessage): JsonObject {
  switch (turn.type) {
    case "user":
    case "system":
      return { role: turn.type, content: turn.text };
    case "image":
      return { role: "user", content: withImage(turn.text, turn.dataUrl) };
    case "answer":
      return { role: "assistant", content: turn.body["content"] };
    case "calls":
      return {
        role: "assistant",
        content: turn.calls.map((call): JsonObject => ({ type: "tool_use", ...call })),
      };
    case "results":
      return {
        role: "user",
        content: turn.results.map(({ id, text }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: text,
        })),
      };
  }
}

function withImage(text: string, dataUrl: string): JsonObject[] {
  const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/.exec(dataUrl) ?? [];
  return [
    { type: "text", text },
    { type: "image", source: objectOrEmpty({ type: "base64", media_type: mediaType, data }) },
  ];
}
