import type {
  ConformanceCaseRequest,
  ConformanceCaseTool,
  ConformanceCaseMessage,
} from "../../case-request.ts";
import { objectOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";

/** The body of a response. */
export function buildResponsesCaseRequest(ask: ConformanceCaseRequest, model: string): JsonObject {
  const { system, tools, maxTokens: cap, schema } = ask;
  return {
    model,
    ...(system !== undefined && { instructions: system }),
    input: ask.messages.flatMap(itemsOf),
    ...(tools !== undefined && { tools: tools.map(toolOf) }),
    ...(ask.requiresToolCall === true && { tool_choice: "required" }),
    ...(cap !== undefined && { max_output_tokens: cap }),
    ...(schema !== undefined && {
      text: { format: { type: "json_schema", name: "answer", schema, strict: true } },
    }),
    ...ask.extra,
  };
}

function toolOf({ name, description, parameters }: ConformanceCaseTool): JsonObject {
  return { type: "function", name, description, parameters, strict: false };
}

function itemsOf(turn: ConformanceCaseMessage): JsonObject[] {
  switch (turn.type) {
    case "user":
      return [{ role: "user", content: turn.text }];
    case "system":
      return [{ role: "developer", content: turn.text }];
    case "image":
      return [{ role: "user", content: withImage(turn.text, turn.dataUrl) }];
    case "answer":
      return asArrayOrEmpty(turn.body["output"]).map(objectOrEmpty);
    case "calls":
      return turn.calls.map(({ id, name, input }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      }));
    case "results":
      return turn.results.map(({ id, text }) => ({
        type: "function_call_output",
        call_id: id,
        output: text,
      }));
  }
}

function withImage(text: string, url: string): JsonObject[] {
  return [
    { type: "input_text", text },
    { type: "input_image", image_url: url, detail: "auto" },
  ];
}
