import { answerBytes, tokenText } from "./response-sizes.ts";
import { fitProse, turnsOf } from "./prose.ts";
import type { DialectTraffic } from "./traffic.ts";

const message = {
  id: "msg_bench00000000000000000001",
  type: "message",
  role: "assistant",
  model: "mock",
};
const usage = { input_tokens: 210, output_tokens: 180 };

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function answerWith(text: string): string {
  const content = [{ type: "text", text }];
  return JSON.stringify({
    ...message,
    content,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage,
  });
}

function opening(): string {
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage };
  const block = { index: 0, content_block: { type: "text", text: "" } };
  return event("message_start", { message: start }) + event("content_block_start", block);
}

function closing(): string {
  const delta = { stop_reason: "end_turn", stop_sequence: null };
  return (
    event("content_block_stop", { index: 0 }) +
    event("message_delta", { delta, usage: { output_tokens: 180 } }) +
    event("message_stop", {})
  );
}

/** Messages. */
export const messagesTraffic: DialectTraffic = {
  path: "/messages",
  credential: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  requestBody: ({ model, bytes, stream, maxTokens }) =>
    fitProse(bytes, (prose) =>
      JSON.stringify({ model, max_tokens: maxTokens, messages: turnsOf(prose), stream }),
    ),
  answer: fitProse(answerBytes, answerWith),
  opening: opening(),
  token: event("content_block_delta", {
    index: 0,
    delta: { type: "text_delta", text: tokenText },
  }),
  closing: closing(),
};
