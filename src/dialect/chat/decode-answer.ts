import { MalformedAnswer, type UpstreamContext } from "../codec.ts";
import { asArray, asObject, asString, type JsonObject } from "../json.ts";
import { readOpenTier } from "../service-tier.ts";
import type { AnswerPart, TurnAnswer } from "../turn-answer.ts";
import type { TurnEnd } from "../turn-event.ts";
import { failureOfFinish, decodeFinish } from "./finish-reason.ts";
import { readCalls, type CallPiece } from "./read-call.ts";
import { readError } from "./read-error.ts";
import { readCitations, readWords } from "./read-message.ts";
import { decodeUsage } from "./usage.ts";

/**
 * Reads an upstream's whole answer: thoughts, words, refusal, calls, in this
 * order. An error in a body of status 200 is an answer with an error.
 */
export function decodeAnswer(body: JsonObject, context: UpstreamContext): TurnAnswer {
  const choice = asObject(asArray(body["choices"])[0]);
  const error = readError(body) ?? failureOfFinish(choice?.["finish_reason"]);
  if (error !== undefined) return { parts: [], end: undefined, error, usage: undefined };
  const message = asObject(choice?.["message"]) ?? asObject(choice?.["delta"]);
  if (choice === undefined || message === undefined) {
    throw new MalformedAnswer("sent an answer without a message");
  }
  const parts = decodeWords(message, choice);
  for (const call of readCalls(message)) parts.push(decodeCall(call));
  const tier = readOpenTier(body["service_tier"]);
  return {
    parts,
    end: { ...decodeEnd(choice, parts, context), tier },
    error: undefined,
    usage: decodeUsage(body["usage"]),
  };
}

function decodeWords(message: JsonObject, choice: JsonObject): AnswerPart[] {
  const { text, reasoning, refusal } = readWords(message);
  const logprobs = asObject(choice["logprobs"]);
  const parts: AnswerPart[] = [];
  if (reasoning !== "") parts.push({ type: "reasoning", texts: [reasoning], seal: plain });
  if (text !== "") {
    const citations = readCitations(message);
    parts.push({ type: "text", text, logprobs: asArray(logprobs?.["content"]), citations });
  }
  if (refusal !== "") {
    const told = asArray(logprobs?.["refusal"]);
    parts.push({ type: "refusal", text: refusal, logprobs: told, citations: [] });
  }
  return parts;
}

const plain = { dialect: "dialect_chat", kind: "plain" } as const;

function decodeCall({ kind, id, name, arguments: json }: CallPiece): AnswerPart {
  if (name === "") throw new MalformedAnswer("sent a call without a name");
  return { type: "tool-call", kind, id, name, namespace: undefined, arguments: json };
}

function decodeEnd(
  choice: JsonObject,
  parts: readonly AnswerPart[],
  { stop }: UpstreamContext,
): TurnEnd {
  return decodeFinish(asString(choice["finish_reason"]), {
    hasCalls: parts.some(({ type }) => type === "tool-call"),
    hasRefusal: parts.some(({ type }) => type === "refusal"),
    stopReason: choice["stop_reason"],
    stop,
  });
}
