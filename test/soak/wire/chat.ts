import type { WireResponse, Wire } from "./dialect-wire.ts";

const event = ({ id }: WireResponse, choices: readonly object[], more: object = {}) =>
  `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model: "up", choices, ...more })}\n\n`;

const delta = (said: WireResponse, value: object, reason: string | null = null) =>
  event(said, [{ index: 0, delta: value, finish_reason: reason }]);

const usageOf = ({ input, output }: WireResponse) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

/** Chat completions. */
export const chat: Wire = {
  name: "chat",
  path: "/chat/completions",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  request: ({ model, cap, isStream, prompt }) => ({
    model,
    max_tokens: cap,
    stream: isStream,
    messages: [{ role: "user", content: prompt }],
  }),
  capOf: (body) => Number(body["max_completion_tokens"] ?? body["max_tokens"]),
  whole: (said) => {
    const message = { role: "assistant", content: said.pieces.join("") };
    return {
      id: said.id,
      object: "chat.completion",
      created: 1,
      model: "up",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: usageOf(said),
    };
  },
  opening: (said) => delta(said, { role: "assistant", content: "" }),
  piece: (said, index) => delta(said, { content: said.pieces[index] }),
  closing: (said) =>
    `${delta(said, {}, "stop")}${event(said, [], { usage: usageOf(said) })}data: [DONE]\n\n`,
  lastWords: "data: [DONE]",
};
