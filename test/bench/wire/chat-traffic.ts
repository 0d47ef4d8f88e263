import { answerBytes, tokenText } from "./response-sizes.ts";
import { fitProse, turnsOf } from "./prose.ts";
import type { DialectTraffic } from "./traffic.ts";

const common = { id: "chatcmpl-bench000000000000000001", created: 1_760_000_000, model: "mock" };
const usage = { prompt_tokens: 210, completion_tokens: 180, total_tokens: 390 };

function event(delta: object, finishReason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", choices })}\n\n`;
}

function answerWith(content: string): string {
  const message = { role: "assistant", content, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  return JSON.stringify({ ...common, object: "chat.completion", choices, usage });
}

/** Chat completions. */
export const chatTraffic: DialectTraffic = {
  path: "/chat/completions",
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  requestBody: ({ model, bytes, stream, maxTokens }) =>
    fitProse(bytes, (prose) =>
      JSON.stringify({
        model,
        messages: turnsOf(prose),
        temperature: 0.7,
        max_tokens: maxTokens,
        stream,
      }),
    ),
  answer: fitProse(answerBytes, answerWith),
  opening: event({ role: "assistant", content: "" }, null),
  token: event({ content: tokenText }, null),
  closing: `${event({}, "stop")}data: [DONE]\n\n`,
};
