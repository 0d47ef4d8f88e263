import { asObject, asString, type JsonObject } from "../../../../src/dialect/json.ts";
import {
  outputTokens,
  piecesOf,
  wordCount,
  wordsIn,
  type Call,
  type StrictReply,
} from "../request.ts";
import { logprobsOf } from "../logprobs.ts";
import { nextId } from "../next-id.ts";

const finish = { end: "stop", stop: "stop", length: "length", calls: "tool_calls" };

/** The whole answer. */
export function chatResponse(body: JsonObject, reply: StrictReply): JsonObject {
  const calls = reply.calls.map(writeCall);
  const message = {
    role: "assistant",
    content: calls.length > 0 ? null : reply.text,
    refusal: null,
    annotations: [],
    ...(reply.thought !== undefined && { reasoning_content: reply.thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choices = indexesOf(body).map((index) => ({
    index,
    message,
    logprobs: logprobsFor(reply.text, body),
    finish_reason: finish[reply.end],
  }));
  return { ...head(body, "chat.completion"), choices, usage: usageOf(body, reply) };
}

/** The same as a stream; a call comes in pieces. */
export function chatFrames(body: JsonObject, reply: StrictReply): readonly string[] {
  const asksUsage = asObject(body["stream_options"])?.["include_usage"] === true;
  const chunk = { ...head(body, "chat.completion.chunk"), ...(asksUsage && { usage: null }) };
  const frame = (choices: readonly object[], more: object = {}) =>
    `data: ${JSON.stringify({ ...chunk, choices, ...more })}\n\n`;
  const delta = (said: JsonObject, reason: string | null = null) =>
    frame(
      indexesOf(body).map((index) => ({
        index,
        delta: said,
        logprobs: logprobsFor(asString(said["content"]) ?? "", body),
        finish_reason: reason,
      })),
    );
  return [
    delta({ role: "assistant", content: "" }),
    ...piecesOf(reply.thought ?? "").map((text) => delta({ reasoning_content: text })),
    ...piecesOf(reply.text).map((text) => delta({ content: text })),
    ...reply.calls.flatMap((call, index) => callPieces(call, index).map((said) => delta(said))),
    delta({}, finish[reply.end]),
    ...(asksUsage ? [frame([], { usage: usageOf(body, reply) })] : []),
    "data: [DONE]\n\n",
  ];
}

function head({ model }: JsonObject, object: string): JsonObject {
  return { id: nextId("chatcmpl-"), object, created: 1_790_000_000, model };
}

function writeCall({ tool: { name, kind }, input }: Call) {
  const said = kind === "custom" ? { name, input } : { name, arguments: input };
  return { id: nextId("call_"), type: kind, [kind]: said };
}

function callPieces(call: Call, index: number): readonly JsonObject[] {
  const { id, type, ...named } = writeCall({ ...call, input: "" });
  const field = call.tool.kind === "custom" ? "input" : "arguments";
  const first = { index, id, type, ...named };
  const rest = piecesOf(call.input).map((text) => ({ index, [type]: { [field]: text } }));
  return [first, ...rest].map((piece) => ({ tool_calls: [piece] }));
}

/** Choices that are asked for; all of them are alike. */
function indexesOf({ n }: JsonObject): readonly number[] {
  return Array.from({ length: Number(n ?? 1) }, (_none, index) => index);
}

function logprobsFor(text: string, body: JsonObject): JsonObject | null {
  if (body["logprobs"] !== true || text === "") return null;
  return { content: logprobsOf(text, body), refusal: null };
}

function usageOf(body: JsonObject, reply: StrictReply) {
  const prompt_tokens = wordsIn(body["messages"]).length;
  const reasoning_tokens = wordCount(reply.thought ?? "");
  const completion_tokens = outputTokens(reply);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: reply.cached },
    completion_tokens_details: { reasoning_tokens },
  };
}
