import OpenAI from "openai";
import type { ModelApp } from "../../model-app.ts";
import { mostRounds, type CalledTool, type Session } from "./session.ts";

type Message = OpenAI.ChatCompletionMessageParam;

const tools: OpenAI.ChatCompletionFunctionTool[] = [
  {
    type: "function",
    function: {
      name: "read",
      description: "Reads a file.",
      parameters: {
        type: "object",
        properties: { path: { type: "string" } },
        required: ["path"],
        additionalProperties: false,
      },
      strict: true,
    },
  },
];

/** Marks where a prompt cache may end, as LiteLLM and its clients do on any server. */
const cache_control = { type: "ephemeral" };

/** An agent on the official client; it greets first, and marks its calls for the prompt cache. */
export function chatSession(app: ModelApp, model: string): Session {
  const client = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
  const messages: Message[] = [
    { role: "system", content: "You are an agent." },
    { role: "assistant", content: "What shall I do?" },
  ];
  const send = async (): Promise<OpenAI.ChatCompletionMessage> => {
    const stream = client.chat.completions.stream({
      model,
      messages,
      tools,
      reasoning_effort: "low",
      max_completion_tokens: 16_000,
      parallel_tool_calls: true,
      stream_options: { include_usage: true },
    });
    const [choice] = (await stream.finalChatCompletion()).choices;
    if (choice === undefined) throw new Error("an answer without a choice");
    return choice.message;
  };
  return {
    async ask(prompt) {
      messages.push({ role: "user", content: prompt });
      const calls: CalledTool[] = [];
      for (let round = 0; round < mostRounds; round += 1) {
        const { content, tool_calls: called = [] } = await send();
        if (called.length === 0) {
          messages.push({ role: "assistant", content });
          return { text: content ?? "", calls };
        }
        const functions = called.filter((call) => call.type === "function");
        const marked = functions.map((call) => ({ ...call, cache_control }));
        messages.push({ role: "assistant", content, tool_calls: marked });
        for (const { id, function: made } of functions) {
          calls.push({ name: made.name, input: JSON.parse(made.arguments) as unknown });
          messages.push({ role: "tool", tool_call_id: id, content: "one line" });
        }
      }
      throw new Error("the model does not stop calling tools");
    },
  };
}
