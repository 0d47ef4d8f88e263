import type { ResponseEncodingContext } from "../codec.ts";
import { asArrayOrEmpty, asNumber, asObject, type JsonObject } from "../json.ts";
import { toChatResponseTier, type ResponseServiceTier } from "../service-tier.ts";
import type { TokenUsage } from "../usage.ts";
import { addResponseIdPrefix } from "./item-ids.ts";
import { encodeResponsesUsage } from "./usage.ts";

/** What a response object says beyond the request that it repeats. */
export interface ResponsesResponseObjectState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly JsonObject[];
  readonly usage: TokenUsage | undefined;
  /** The tier that served it; undefined: not known. */
  readonly tier?: ResponseServiceTier | undefined;
  /** Why it is incomplete. */
  readonly reason: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/**
 * The response object with every field of the dialect, because third-party
 * clients refuse answers that lack one. What the request said is repeated as the
 * caller sent it, not as an upstream got it.
 */
export function buildResponsesResponseObject(
  context: ResponseEncodingContext,
  state: ResponsesResponseObjectState,
): JsonObject {
  const echo = context.request.echo ?? {};
  const { status, output, usage, tier, reason, error } = state;
  return {
    id: addResponseIdPrefix(context.id),
    object: "response",
    created_at: context.created,
    completed_at: status === "completed" ? context.completed() : null,
    status,
    error,
    incomplete_details: reason === null ? null : { reason },
    model: context.request.model,
    output,
    usage: usage === undefined ? null : encodeResponsesUsage(usage),
    ...buildResponsesEchoedSettings(echo),
    ...(tier === undefined ? {} : { service_tier: toChatResponseTier(tier) }),
    store: context.echo.store,
    previous_response_id: context.echo.previousResponseId ?? null,
  };
}

/** What the official client calls a compacted response: the items that stand for the conversation. */
export function buildResponsesCompactedResponse(
  { id, created }: ResponseEncodingContext,
  output: readonly JsonObject[],
  usage: TokenUsage,
): JsonObject {
  return {
    id: addResponseIdPrefix(id),
    object: "response.compaction",
    created_at: created,
    output,
    usage: encodeResponsesUsage(usage),
  };
}

/** What a response object repeats of its request, every field with what it is where nothing was said. */
export function buildResponsesEchoedSettings(echo: JsonObject): JsonObject {
  return {
    access_programs: null,
    background: false,
    conversation: null,
    frequency_penalty: asNumber(echo["frequency_penalty"]) ?? 0,
    instructions: echo["instructions"] ?? null,
    max_output_tokens: echo["max_output_tokens"] ?? null,
    max_tool_calls: echo["max_tool_calls"] ?? null,
    metadata: echo["metadata"] ?? {},
    parallel_tool_calls: echo["parallel_tool_calls"] ?? true,
    presence_penalty: asNumber(echo["presence_penalty"]) ?? 0,
    prompt_cache_key: echo["prompt_cache_key"] ?? null,
    reasoning: { effort: null, summary: null, ...asObject(echo["reasoning"]) },
    safety_identifier: echo["safety_identifier"] ?? null,
    service_tier: echo["service_tier"] ?? "default",
    temperature: echo["temperature"] ?? 1,
    text: { ...asObject(echo["text"]), format: textFormat(echo) },
    tool_choice: echo["tool_choice"] ?? "auto",
    tools: asArrayOrEmpty(echo["tools"]).map(echoedTool),
    top_logprobs: echo["top_logprobs"] ?? 0,
    top_p: echo["top_p"] ?? 1,
    truncation: echo["truncation"] ?? "disabled",
    user: echo["user"] ?? null,
  };
}

/** A function with all its members, whether or not the caller said something of each. */
function echoedTool(value: unknown): unknown {
  const tool = asObject(value);
  if (tool?.["type"] !== "function") return value;
  return { description: null, parameters: null, strict: null, ...tool };
}

/** A schema says whether it is strict, where it is one that a caller may leave that out of. */
function textFormat(echo: JsonObject): JsonObject {
  const format = asObject(asObject(echo["text"])?.["format"]) ?? { type: "text" };
  if (format["type"] !== "json_schema") return format;
  return { description: null, ...format, strict: format["strict"] ?? false };
}
