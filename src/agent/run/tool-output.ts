import { asString, type JsonObject } from "../../dialect/json.ts";
import type { AgentToolResult } from "../../domain/agent-turn.ts";
import type { RequestedToolCall } from "./requested-tool-call.ts";

/** The words of a result; what is no text is named. */
export function toolResultToText({ output }: AgentToolResult): string {
  return output.map((part) => asString(part["text"]) ?? `[${String(part["type"])}]`).join("\n");
}

/** A result as the model reads it: the dialect has no other mark of an error than its words. */
export function buildFunctionCallOutputItem(
  { callId }: RequestedToolCall,
  result: AgentToolResult,
): JsonObject {
  return { type: "function_call_output", call_id: callId, output: outputOf(result) };
}

function outputOf(result: AgentToolResult): unknown {
  const isText = result.output.every(({ type }) => type === "input_text");
  const mark = result.isError ? "Error: " : "";
  if (isText) return `${mark}${toolResultToText(result)}`;
  return result.isError
    ? [{ type: "input_text", text: "Error:" }, ...result.output]
    : result.output;
}
