import { recordToMap } from "../../platform/lookup-table.ts";

/** A text that a stream tells in pieces: the head of its events' names, and the member that has it. */
export interface ResponsesStreamedTextEventNames {
  readonly event: string;
  readonly member: string;
}

/** Texts of parts, by the type of the part. */
export const streamedTextsByPartType = recordToMap<ResponsesStreamedTextEventNames>({
  output_text: { event: "response.output_text", member: "text" },
  refusal: { event: "response.refusal", member: "refusal" },
  reasoning_text: { event: "response.reasoning_text", member: "text" },
  summary_text: { event: "response.reasoning_summary_text", member: "text" },
});

/** Texts that stand in the item itself, by the type of the item. */
export const streamedTextFieldByItemType = recordToMap<ResponsesStreamedTextEventNames>({
  function_call: { event: "response.function_call_arguments", member: "arguments" },
  custom_tool_call: { event: "response.custom_tool_call_input", member: "input" },
  mcp_call: { event: "response.mcp_call_arguments", member: "arguments" },
  code_interpreter_call: { event: "response.code_interpreter_call_code", member: "code" },
});

/** A list of parts of an item: the member that says the place in it, and the head of its events' names. */
export interface ResponsesPartListDescriptor {
  readonly list: "content" | "summary";
  readonly index: "content_index" | "summary_index";
  readonly event: string;
}

export const responsesPartListDescriptors: readonly ResponsesPartListDescriptor[] = [
  { list: "summary", index: "summary_index", event: "response.reasoning_summary_part" },
  { list: "content", index: "content_index", event: "response.content_part" },
];

/** What the events of a text have beside it: output text its log probabilities, none where nobody asked. */
export function buildResponsesTextEventLogprobs(
  { event }: ResponsesStreamedTextEventNames,
  logprobs: unknown = [],
): object {
  return event === "response.output_text" ? { logprobs } : {};
}
