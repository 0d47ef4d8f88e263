import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ModelApp } from "../model-app.ts";

/** What any client understood of an answer. */
export interface Understood {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly stop: string | null | undefined;
  /** Caches included. */
  readonly input: number | undefined;
  readonly cached: number | undefined;
  readonly output: number | undefined;
  readonly model: string;
}

/** The official client of a caller's dialect, asking one question with one tool. */
export interface DialectClient {
  whole(model: string): Promise<Understood>;
  /** Through the client's own streaming helper. */
  streamed(model: string): Promise<Understood>;
}

export type CallerName = "chat" | "messages" | "responses";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const question = [{ role: "user" as const, content: "How is the weather in Zürich?" }];

/** The three official clients against the application. */
export function dialectClients(app: ModelApp): Readonly<Record<CallerName, DialectClient>> {
  const openai = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: app.origin, apiKey: app.token, maxRetries: 0 });
  return {
    chat: chatClient(openai),
    messages: messagesClient(anthropic),
    responses: responsesClient(openai),
  };
}

function chatClient(openai: OpenAI): DialectClient {
  const body = (model: string) => ({
    model,
    messages: question,
    tools: [{ type: "function" as const, function: { name: "weather", parameters: schema } }],
  });
  return {
    whole: async (model) => readChat(await openai.chat.completions.create(body(model))),
    streamed: async (model) => {
      const stream = openai.chat.completions.stream({
        ...body(model),
        stream_options: { include_usage: true },
      });
      return readChat(await stream.finalChatCompletion());
    },
  };
}

function readChat(answer: OpenAI.ChatCompletion): Understood {
  const [choice] = answer.choices;
  const calls = choice?.message.tool_calls ?? [];
  return {
    text: choice?.message.content ?? "",
    calls: calls.flatMap((call) =>
      call.type === "function"
        ? [{ name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }]
        : [],
    ),
    stop: choice?.finish_reason,
    input: answer.usage?.prompt_tokens,
    cached: answer.usage?.prompt_tokens_details?.cached_tokens,
    output: answer.usage?.completion_tokens,
    model: answer.model,
  };
}

function messagesClient(anthropic: Anthropic): DialectClient {
  const body = (model: string) => ({
    model,
    max_tokens: 100,
    messages: question,
    tools: [{ name: "weather", input_schema: schema as Anthropic.Tool.InputSchema }],
  });
  return {
    whole: async (model) => readMessage(await anthropic.messages.create(body(model))),
    streamed: async (model) =>
      readMessage(await anthropic.messages.stream(body(model)).finalMessage()),
  };
}

function readMessage(answer: Anthropic.Message): Understood {
  const { usage } = answer;
  return {
    text: answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    calls: answer.content.flatMap((block) =>
      block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [],
    ),
    stop: answer.stop_reason,
    input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
    cached: usage.cache_read_input_tokens ?? undefined,
    output: usage.output_tokens,
    model: answer.model,
  };
}

function responsesClient(openai: OpenAI): DialectClient {
  const body = (model: string) => ({
    model,
    input: "How is the weather in Zürich?",
    tools: [
      { type: "function" as const, name: "weather", parameters: schema, strict: false as const },
    ],
  });
  return {
    whole: async (model) => readResponse(await openai.responses.create(body(model))),
    streamed: async (model) =>
      readResponse(await openai.responses.stream(body(model)).finalResponse()),
  };
}

function readResponse(answer: OpenAI.Responses.Response): Understood {
  return {
    text: answer.output
      .flatMap((item) => (item.type === "message" ? item.content : []))
      .flatMap((part) => (part.type === "output_text" ? [part.text] : []))
      .join(""),
    calls: answer.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ name: item.name, input: JSON.parse(item.arguments) as unknown }]
        : [],
    ),
    stop: answer.status,
    input: answer.usage?.input_tokens,
    cached: answer.usage?.input_tokens_details.cached_tokens,
    output: answer.usage?.output_tokens,
    model: answer.model,
  };
}
