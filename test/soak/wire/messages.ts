import { namedEvent, type Wire } from "./dialect-wire.ts";

const ended = { stop_reason: "end_turn", stop_sequence: null };
const base = { type: "message", role: "assistant", model: "up" };

/** Messages. */
export const messages: Wire = {
  name: "messages",
  path: "/messages",
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  request: ({ model, cap, isStream, prompt }) => ({
    model,
    max_tokens: cap,
    stream: isStream,
    messages: [{ role: "user", content: prompt }],
  }),
  capOf: (body) => Number(body["max_tokens"]),
  whole: ({ id, pieces, input, output }) => ({
    ...base,
    ...ended,
    id,
    content: [{ type: "text", text: pieces.join("") }],
    usage: { input_tokens: input, output_tokens: output },
  }),
  opening: ({ id, input }) => {
    const usage = { input_tokens: input, output_tokens: 1 };
    const message = { ...base, id, content: [], stop_reason: null, stop_sequence: null, usage };
    const block = { index: 0, content_block: { type: "text", text: "" } };
    return namedEvent("message_start", { message }) + namedEvent("content_block_start", block);
  },
  piece: ({ pieces }, index) =>
    namedEvent("content_block_delta", {
      index: 0,
      delta: { type: "text_delta", text: pieces[index] },
    }),
  closing: ({ output }) =>
    namedEvent("content_block_stop", { index: 0 }) +
    namedEvent("message_delta", { delta: ended, usage: { output_tokens: output } }) +
    namedEvent("message_stop", {}),
  lastWords: "event: message_stop",
};
