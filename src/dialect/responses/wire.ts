import type { JsonObject } from "../json.ts";

/** Fields of a request that the neutral turn has a name for, or that the gateway answers for; all else is an extra. */
export const knownResponsesRequestFields: ReadonlySet<string> = new Set([
  "model",
  "input",
  "instructions",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text",
  "reasoning",
  "temperature",
  "top_p",
  "top_logprobs",
  "include",
  "max_output_tokens",
  "metadata",
  "user",
  "safety_identifier",
  "service_tier",
  "store",
  "previous_response_id",
  "conversation",
  "background",
  "prompt",
]);

/** Fields that an answer repeats as they were sent. */
export const echoedFields = [
  "frequency_penalty",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "parallel_tool_calls",
  "presence_penalty",
  "prompt_cache_key",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "store",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "truncation",
  "user",
] as const;

/** What an answer repeats of a request; `null` counts as not sent. */
export function readResponsesEchoedFields(body: JsonObject): JsonObject {
  const sent = echoedFields.filter((name) => body[name] !== undefined && body[name] !== null);
  return Object.fromEntries(sent.map((name) => [name, body[name]]));
}

/** Items that come from a caller: what the vendor's own tools need back, and what steers the vendor. */
export const vendorSpecificCallerItemTypes: ReadonlySet<string> = new Set([
  "apply_patch_call_output",
  "compaction_trigger",
  "computer_call_output",
  "local_shell_call_output",
  "mcp_approval_response",
  "shell_call_output",
]);

/** An item or object of this dialect's wire, being written. */
export type ResponsesWireObject = Record<string, unknown>;
