import { responseFixtures } from "./response-fixtures.ts";
import type { CallerName } from "./clients.ts";

/** Frames of each upstream until the first words are out. */
export const begun = {
  chat: responseFixtures.chat.frames.slice(0, 2),
  messages: responseFixtures.messages.frames.slice(0, 4),
  responses: responseFixtures.responses.frames.slice(0, 5),
} satisfies Record<CallerName, readonly string[]>;

function named(event: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** An error event, as each vendor sends it. */
export function errorFrame(upstream: CallerName, type: string, message: string): string {
  if (upstream === "chat") {
    return `data: ${JSON.stringify({ error: { message, type, code: null, param: null } })}\n\n`;
  }
  if (upstream === "messages") return named({ type: "error", error: { type, message } });
  return named({ type: "error", code: type, message, param: null, sequence_number: 9 });
}

/** A frame with words, in a stream that has begun as `begun`. */
export function wordsFrame(upstream: CallerName, words: string): string {
  if (upstream === "chat") {
    const base = { id: "chatcmpl-up", object: "chat.completion.chunk", created: 1, model: "up" };
    const choices = [{ index: 0, delta: { content: words }, finish_reason: null }];
    return `data: ${JSON.stringify({ ...base, choices })}\n\n`;
  }
  if (upstream === "messages") {
    const delta = { type: "text_delta", text: words };
    return named({ type: "content_block_delta", index: 0, delta });
  }
  return named({
    type: "response.output_text.delta",
    item_id: "msg_up",
    output_index: 0,
    content_index: 0,
    delta: words,
    logprobs: [],
    sequence_number: 5,
  });
}
