import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect } from "vitest";
import {
  json,
  startFakeUpstream,
  type FakeUpstream,
  type Script,
} from "../../support/fake-upstream.ts";
import type { RestResponse } from "../../support/rest-client.ts";
import type { TestInstance, TestUser } from "../../support/test-instance.ts";

/** A caller of agents, with an endpoint of its own that a test scripts. */
export interface AgentCaller {
  readonly user: TestUser;
  readonly secret: string;
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  readonly upstream: FakeUpstream;
  /** Bodies of the model calls that reached the endpoint. */
  readonly bodies: () => readonly Record<string, unknown>[];
  /** Calls a route with the caller's key. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<RestResponse>;
}

export type UpstreamDialect = "dialect_chat" | "dialect_messages" | "dialect_responses";

/** The model of the caller's endpoint. */
export const model = "custom/box/m";

/** The official clients with one key. */
export function clientsOf({ url }: Pick<TestInstance, "url">, secret: string) {
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey: secret, maxRetries: 0 }),
  };
}

/** A user with an endpoint whose upstream speaks `dialect`, and a key. */
export async function startAgentCaller(
  causeway: TestInstance,
  dialect: UpstreamDialect = "dialect_chat",
  key: Record<string, unknown> = {},
): Promise<AgentCaller> {
  const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
  const user = await causeway.createUser();
  const body = { label: "Box", base_url: `${upstream.origin}/v1`, api_key: "k", dialect };
  const made = await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  expect(made.status).toBe(201);
  const { secret } = await user.createKey(key);
  return {
    user,
    secret,
    ...clientsOf(causeway, secret),
    upstream,
    bodies: () =>
      upstream.requests
        .filter(({ method }) => method === "POST")
        .map(({ body: sent }) => JSON.parse(sent.toString()) as Record<string, unknown>),
    call: (method, path, sent) =>
      causeway.call(method, path, { token: secret, ...(sent !== undefined && { body: sent }) }),
  };
}

/** A call that a model makes. */
export interface ScriptedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What a scripted model says: words, a thought before them, calls behind them. */
export interface ScriptedOutput {
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly ScriptedToolCall[];
}

/** A streamed answer of a model, in the dialect of the upstream. */
export function scriptedOutput(dialect: UpstreamDialect, said: ScriptedOutput): Script {
  const frames = framesOf[dialect](said);
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) response.write(frame);
    response.end();
  };
}

const framesOf: Record<UpstreamDialect, (said: ScriptedOutput) => readonly string[]> = {
  dialect_chat: chatFrames,
  dialect_messages: messagesFrames,
  dialect_responses: responsesFrames,
};

function chatFrames({ text, thought, calls = [] }: ScriptedOutput): readonly string[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const tool_calls = calls.map(({ id, name, arguments: text }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: text },
  }));
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...(thought === undefined ? [] : [chunk({ reasoning_content: thought })]),
    ...(text === undefined ? [] : [chunk({ content: text })]),
    ...(calls.length === 0 ? [] : [chunk({ tool_calls })]),
    chunk({}, calls.length === 0 ? "stop" : "tool_calls"),
    { ...chunk({}), choices: [], usage },
  ];
  return [...chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`), "data: [DONE]\n\n"];
}

function messagesFrames({ text, thought, calls = [] }: ScriptedOutput): readonly string[] {
  const blocks = [
    ...(thought === undefined
      ? []
      : [
          {
            start: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              { type: "thinking_delta", thinking: thought },
              { type: "signature_delta", signature: "c2ln" },
            ],
          },
        ]),
    ...(text === undefined
      ? []
      : [{ start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text }] }]),
    ...calls.map(({ id, name, arguments: partial_json }) => ({
      start: { type: "tool_use", id, name, input: {} },
      deltas: [{ type: "input_json_delta", partial_json }],
    })),
  ];
  const usage = { input_tokens: 3, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] };
  const events: object[] = [
    {
      type: "message_start",
      message: { ...message, stop_reason: null, stop_sequence: null, usage },
    },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: calls.length === 0 ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: 2 },
    },
    { type: "message_stop" },
  ];
  return events.map(named);
}

function responsesFrames({ text, thought, calls = [] }: ScriptedOutput): readonly string[] {
  const items = [
    ...(thought === undefined
      ? []
      : [{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: thought }] }]),
    ...(text === undefined
      ? []
      : [
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ]),
    ...calls.map(({ id, name, arguments: text }, index) => ({
      type: "function_call",
      id: `fc_${index}`,
      call_id: id,
      name,
      arguments: text,
      status: "completed",
    })),
  ];
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [] };
  const usage = {
    input_tokens: 3,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 5,
  };
  const events: object[] = [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, ...begunOf(item) } },
      ...(item.type === "message" ? textEvents(text ?? "", output_index) : []),
      { type: "response.output_item.done", output_index, item },
    ]),
    {
      type: "response.completed",
      response: { ...response, status: "completed", output: items, usage },
    },
  ];
  return events.map((event, sequence_number) => named({ ...event, sequence_number }));
}

function begunOf({ type }: { readonly type: string }): object {
  if (type === "message") return { content: [], status: "in_progress" };
  return type === "function_call" ? { arguments: "", status: "in_progress" } : { summary: [] };
}

function textEvents(text: string, output_index: number): readonly object[] {
  const place = { item_id: "msg_1", output_index, content_index: 0 };
  const part = { type: "output_text", annotations: [] };
  return [
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: { ...part, text } },
  ];
}

function named(event: object): string {
  const { type } = event as { type: string };
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}
