import type { ResponseEncodingContext } from "../codec.ts";
import { getTokenUsageOrEstimate } from "../estimate-usage.ts";
import { type JsonObject, withoutUndefined } from "../json.ts";
import { toChatResponseTier } from "../service-tier.ts";
import type { NeutralResponsePart, NeutralResponse } from "../neutral-response.ts";
import { toChatAnnotation } from "./annotations.ts";
import { isDeprecatedFunctionsEntry } from "./decode-tools.ts";
import { encodeChatFinishReason } from "./finish-reason.ts";
import { buildChatReasoningDetails, reasoningSummarySeparator } from "./reasoning-details.ts";
import { encodeChatUsage } from "./usage.ts";
import type { ChatWireObject } from "./wire.ts";

type TextParts = Extract<NeutralResponsePart, { type: "text" | "refusal" }>;
type ReasoningPartOf = Extract<NeutralResponsePart, { type: "reasoning" }>;
type Call = Extract<NeutralResponsePart, { type: "tool-call" }>;

/** The whole answer for a caller of chat: all text in one, calls in their order. */
export function encodeChatResponse(
  answer: NeutralResponse,
  context: ResponseEncodingContext,
): JsonObject {
  const message = encodeMessage(answer, context);
  const isLegacy = message["function_call"] !== undefined;
  const reason = encodeChatFinishReason(answer.end?.reason ?? "unknown");
  const choice = {
    index: 0,
    message,
    logprobs: encodeLogprobs(answer, context),
    finish_reason: isLegacy && reason === "tool_calls" ? "function_call" : reason,
  };
  return withoutUndefined({
    id: `chatcmpl-${context.id}`,
    object: "chat.completion",
    created: context.created,
    model: context.request.model,
    choices: [choice],
    service_tier: answer.end?.tier === undefined ? undefined : toChatResponseTier(answer.end.tier),
    usage: withoutUndefined(
      encodeChatUsage(getTokenUsageOrEstimate(answer, context.estimatedInput)),
    ),
  });
}

function encodeMessage(answer: NeutralResponse, context: ResponseEncodingContext): ChatWireObject {
  const { parts, end } = answer;
  const texts = parts.filter(isText);
  const thoughts = parts.filter(isReasoning);
  const calls = parts.filter(isCall);
  const isLegacy = calls.length > 0 && context.request.tools.some(isDeprecatedFunctionsEntry);
  return withoutUndefined({
    role: "assistant",
    content: joinTexts(texts) ?? null,
    refusal: joinTexts(parts.filter(isRefusal)) ?? end?.explanation ?? null,
    reasoning_content: encodeReasoningText(thoughts),
    reasoning_details: encodeDetails(thoughts, context),
    annotations: encodeAnnotations(texts),
    function_call: isLegacy ? encodeLegacyCall(calls[0]) : undefined,
    tool_calls: isLegacy || calls.length === 0 ? undefined : calls.map(encodeCall),
  });
}

function isText(part: NeutralResponsePart): part is TextParts {
  return part.type === "text";
}

function isRefusal(part: NeutralResponsePart): part is TextParts {
  return part.type === "refusal";
}

function isReasoning(part: NeutralResponsePart): part is ReasoningPartOf {
  return part.type === "reasoning";
}

function isCall(part: NeutralResponsePart): part is Call {
  return part.type === "tool-call";
}

/** Undefined for nothing said. */
function joinTexts(parts: readonly { readonly text: string }[]): string | undefined {
  let joined = "";
  for (const { text } of parts) joined += text;
  return joined === "" ? undefined : joined;
}

function encodeDetails(
  thoughts: readonly ReasoningPartOf[],
  context: ResponseEncodingContext,
): readonly ChatWireObject[] | undefined {
  const details = thoughts.flatMap(({ encrypted: seal, texts }) =>
    buildChatReasoningDetails(seal, texts, context),
  );
  return details.length === 0 ? undefined : details;
}

function encodeReasoningText(parts: readonly ReasoningPartOf[]): string | undefined {
  const texts = parts.flatMap((part) => part.texts).filter((text) => text !== "");
  return texts.length === 0 ? undefined : texts.join(reasoningSummarySeparator);
}

function encodeAnnotations(parts: readonly TextParts[]): readonly ChatWireObject[] | undefined {
  const annotations: ChatWireObject[] = [];
  let start = 0;
  for (const { text, citations } of parts) {
    const place = { start, length: text.length };
    for (const citation of citations) annotations.push(toChatAnnotation(citation, place));
    start += text.length;
  }
  return annotations.length === 0 ? undefined : annotations;
}

/** The caller knows one call, and that without an id. */
function encodeLegacyCall(call: Call | undefined): ChatWireObject | undefined {
  return call && { name: call.name, arguments: call.arguments };
}

function encodeCall({ id, kind, name, arguments: text }: Call): ChatWireObject {
  return kind === "custom"
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}

function encodeLogprobs(
  { parts }: NeutralResponse,
  { request: turn }: ResponseEncodingContext,
): JsonObject | null {
  if (turn.logprobs === undefined) return null;
  const content = parts.filter(isText).flatMap(({ logprobs }) => logprobs);
  const refusal = parts.filter(isRefusal).flatMap(({ logprobs }) => logprobs);
  if (content.length === 0 && refusal.length === 0) return null;
  return {
    content: content.length === 0 ? null : content,
    refusal: refusal.length === 0 ? null : refusal,
  };
}
