import { MalformedResponseError, type ResponseDecodingContext } from "../codec.ts";
import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../json.ts";
import { parseResponseServiceTier } from "../service-tier.ts";
import type { NeutralResponsePart, NeutralResponse } from "../neutral-response.ts";
import type { NeutralEnd } from "../neutral-event.ts";
import { decodeChatFinishReasonError, decodeChatFinishReason } from "./finish-reason.ts";
import { readChatToolCallDeltas, type ChatToolCallDelta } from "./read-tool-call.ts";
import { decodeChatUpstreamError } from "./read-error.ts";
import { readChatCitations, readChatMessageText } from "./read-message.ts";
import { decodeChatUsage } from "./usage.ts";

/**
 * Reads an upstream's whole answer: thoughts, words, refusal, calls, in this
 * order. An error in a body of status 200 is an answer with an error.
 */
export function decodeChatResponse(
  body: JsonObject,
  context: ResponseDecodingContext,
): NeutralResponse {
  const choice = asObject(asArrayOrEmpty(body["choices"])[0]);
  const error =
    decodeChatUpstreamError(body) ?? decodeChatFinishReasonError(choice?.["finish_reason"]);
  if (error !== undefined) return { parts: [], end: undefined, error, usage: undefined };
  const message = asObject(choice?.["message"]) ?? asObject(choice?.["delta"]);
  if (choice === undefined || message === undefined) {
    throw new MalformedResponseError("sent an answer without a message");
  }
  const parts = decodeWords(message, choice);
  for (const call of readChatToolCallDeltas(message)) parts.push(decodeCall(call));
  const tier = parseResponseServiceTier(body["service_tier"]);
  return {
    parts,
    end: { ...decodeEnd(choice, parts, context), tier },
    error: undefined,
    usage: decodeChatUsage(body["usage"]),
  };
}

function decodeWords(message: JsonObject, choice: JsonObject): NeutralResponsePart[] {
  const { text, reasoning, refusal } = readChatMessageText(message);
  const logprobs = asObject(choice["logprobs"]);
  const parts: NeutralResponsePart[] = [];
  if (reasoning !== "") parts.push({ type: "reasoning", texts: [reasoning], encrypted: plain });
  if (text !== "") {
    const citations = readChatCitations(message);
    parts.push({ type: "text", text, logprobs: asArrayOrEmpty(logprobs?.["content"]), citations });
  }
  if (refusal !== "") {
    const told = asArrayOrEmpty(logprobs?.["refusal"]);
    parts.push({ type: "refusal", text: refusal, logprobs: told, citations: [] });
  }
  return parts;
}

const plain = { dialect: "dialect_chat", kind: "plain" } as const;

function decodeCall({ kind, id, name, arguments: json }: ChatToolCallDelta): NeutralResponsePart {
  if (name === "") throw new MalformedResponseError("sent a call without a name");
  return { type: "tool-call", kind, id, name, namespace: undefined, arguments: json };
}

function decodeEnd(
  choice: JsonObject,
  parts: readonly NeutralResponsePart[],
  { stop }: ResponseDecodingContext,
): NeutralEnd {
  return decodeChatFinishReason(asString(choice["finish_reason"]), {
    hasCalls: parts.some(({ type }) => type === "tool-call"),
    hasRefusal: parts.some(({ type }) => type === "refusal"),
    stopReason: choice["stop_reason"],
    stop,
  });
}
