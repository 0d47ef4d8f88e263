import type { CaseAsk, AskTool, AskTurn } from "../../ask.ts";
import { fieldsOf } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { arrayOf } from "../shape.ts";

/** The body of a response. */
export function responsesRequest(ask: CaseAsk, model: string): JsonObject {
  const { system, tools, cap, schema } = ask;
  return {
    model,
    ...(system !== undefined && { instructions: system }),
    input: ask.turns.flatMap(itemsOf),
    ...(tools !== undefined && { tools: tools.map(toolOf) }),
    ...(ask.mustCall === true && { tool_choice: "required" }),
    ...(cap !== undefined && { max_output_tokens: cap }),
    ...(schema !== undefined && {
      text: { format: { type: "json_schema", name: "answer", schema, strict: true } },
    }),
    ...ask.extra,
  };
}

function toolOf({ name, description, parameters }: AskTool): JsonObject {
  return { type: "function", name, description, parameters, strict: false };
}

function itemsOf(turn: AskTurn): JsonObject[] {
  switch (turn.type) {
    case "user":
      return [{ role: "user", content: turn.text }];
    case "system":
      return [{ role: "developer", content: turn.text }];
    case "image":
      return [{ role: "user", content: withImage(turn.text, turn.dataUrl) }];
    case "answer":
      return arrayOf(turn.body["output"]).map(fieldsOf);
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
