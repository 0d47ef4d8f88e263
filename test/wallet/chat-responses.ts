import { json, type Script } from "../support/fake-upstream.ts";

/** Usage as a chat upstream tells it. */
export function usage(input: number, output: number, cached = 0) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

/** A whole chat answer; `told`: its usage. */
export function answer(told: object | undefined): Script {
  return json({
    id: "c",
    object: "chat.completion",
    model: "up",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    ...(told !== undefined && { usage: told }),
  });
}

/** A frame of a chat stream. */
export const chunk = (delta: object, finish: string | null, more: object = {}) => {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices, ...more })}\n\n`;
};
