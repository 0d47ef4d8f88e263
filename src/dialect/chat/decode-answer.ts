import { MalformedAnswer, type UpstreamContext } from "../codec.ts";
import { asArray, asObject, asString, type JsonObject } from "../json.ts";
import { readOpenTier } from "../service-tier.ts";
import type { AnswerPart, TurnAnswer } from "../turn-answer.ts";
import type { TurnEnd } from "../turn-event.ts";
import { failureOf, turnEnd } from "./finish-reason.ts";
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
  const error = readError(body) ?? failureOf(choice?.["finish_reason"]);
  if (error !== undefined) return { parts: [], end: undefined, error, usage: undefined };
  const message = asObject(choice?.["message"]) ?? asObject(choice?.["delta"]);
  if (choice === undefined || message === undefined) {
    throw new MalformedAnswer("sent an answer without a message");
  }
  const parts = [...decodeWords(message, choice), ...readCalls(message).map(decodeCall)];
  return {
    parts,
    end: { ...decodeEnd(choice, parts, context), tier: readOpenTier(body["service_tier"]) },
    error: undefined,
    usage: decodeUsage(body["usage"]),
  };
}

function decodeWords(message: JsonObject, choice: JsonObject): readonly AnswerPart[] {
  const { text, reasoning, refusal } = readWords(message);
  const logprobs = asObject(choice["logprobs"]);
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", texts: [reasoning], seal: plain } as const]),
    ...saidPart("text", text, {
      logprobs: asArray(logprobs?.["content"]),
      citations: readCitations(message),
    }),
    ...saidPart("refusal", refusal, { logprobs: asArray(logprobs?.["refusal"]), citations: [] }),
  ];
}

const plain = { dialect: "dialect_chat", kind: "plain" } as const;

type Said = Extract<AnswerPart, { type: "text" | "refusal" }>;

function saidPart(
  type: Said["type"],
  text: string,
  beside: Pick<Said, "logprobs" | "citations">,
): readonly AnswerPart[] {
  return text === "" ? [] : [{ type, text, ...beside }];
}

function decodeCall({ kind, id, name, arguments: json }: CallPiece): AnswerPart {
  if (name === "") throw new MalformedAnswer("sent a call without a name");
  return { type: "tool-call", kind, id, name, namespace: undefined, arguments: json };
}

function decodeEnd(
  choice: JsonObject,
  parts: readonly AnswerPart[],
  { stop }: UpstreamContext,
): TurnEnd {
  return turnEnd(asString(choice["finish_reason"]), {
    hasCalls: parts.some(({ type }) => type === "tool-call"),
    hasRefusal: parts.some(({ type }) => type === "refusal"),
    stopReason: choice["stop_reason"],
    stop,
  });
}
