import type { ServerResponse } from "node:http";
import { json, type ReceivedRequest, type Script } from "../support/fake-upstream.ts";

interface Body {
  readonly model?: string;
  readonly messages?: readonly unknown[];
  readonly tools?: readonly Tool[];
  readonly tool_choice?: unknown;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly stop?: readonly string[];
  readonly stop_sequences?: readonly string[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly response_format?: unknown;
  readonly output_config?: unknown;
  readonly system?: unknown;
}

interface Tool {
  readonly name?: string;
  readonly function?: { readonly name: string };
}

interface Said {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: object }[];
  readonly end: "end" | "stop" | "length" | "calls";
  readonly input: number;
  readonly output: number;
}

/** An obedient model: it does what the cases ask, in chat completions and in messages. */
export const fakeModel: Script = (response, request) => {
  const body = JSON.parse(request.body.toString() || "{}") as Body;
  if (request.method === "GET")
    return json({ object: "list", data: [{ id: "m" }] })(response, request);
  const isMessages = request.path.endsWith("/messages");
  if (!Array.isArray(body.messages)) return refuse(response, request, isMessages);
  if (body.tools !== undefined && !Array.isArray(body.tools)) {
    return refuse(response, request, isMessages);
  }
  const said = say(body);
  const answer = isMessages ? answerMessages : answerChat;
  return answer(response, request, body, said);
};

function refuse(response: ServerResponse, request: ReceivedRequest, isMessages: boolean): unknown {
  const error = { type: "invalid_request_error", message: "That will not do." };
  const open = { error: { ...error, param: null, code: null } };
  return json(isMessages ? { type: "error", error } : open, 400)(response, request);
}

function say(body: Body): Said {
  const asked = JSON.stringify([body.system, body.messages]);
  const input = Math.ceil(asked.length / 4);
  const cap = body.max_completion_tokens ?? body.max_tokens ?? 1000;
  if (cap <= 16) return { text: "Once upon a time", calls: [], end: "length", input, output: 16 };
  if (body.tool_choice !== undefined && body.tool_choice !== "auto") {
    return { text: "", calls: callsFor(body, asked), end: "calls", input, output: 9 };
  }
  const text = textFor(body, asked);
  const [sequence] = body.stop ?? body.stop_sequences ?? [];
  const at = sequence === undefined ? -1 : text.indexOf(sequence);
  if (at !== -1) return { text: text.slice(0, at), calls: [], end: "stop", input, output: 5 };
  return { text, calls: [], end: "end", input, output: 7 };
}

function callsFor({ tools = [] }: Body, asked: string): Said["calls"] {
  const name = tools[0]?.function?.name ?? tools[0]?.name ?? "";
  if (name === "get_time") return [{ name, input: {} }];
  const cities = asked.includes("Oslo") ? ["Paris", "Oslo"] : ["Zürich"];
  return cities.map((city) => ({ name, input: { city } }));
}

function textFor(body: Body, asked: string): string {
  const isFormed = body.response_format !== undefined || body.output_config !== undefined;
  if (isFormed) return '{"name":"Ada","age":36}';
  if (asked.includes("Count from")) return "1 2 3 4 5 6 7 8 9";
  if (asked.includes("Repeat exactly")) return "Zürich 日本 🙂👩‍🚀 naïve";
  return "Hello there, friend.";
}

let counter = 0;

function nextId(prefix: string): string {
  counter += 1;
  return `${prefix}_double${counter}`;
}

const finish = { end: "stop", stop: "stop", length: "length", calls: "tool_calls" };

function answerChat(
  response: ServerResponse,
  request: ReceivedRequest,
  body: Body,
  said: Said,
): unknown {
  const usage = {
    prompt_tokens: said.input,
    completion_tokens: said.output,
    total_tokens: said.input + said.output,
  };
  const base = { id: nextId("chatcmpl"), created: 1_790_000_000, model: "m" };
  const calls = said.calls.map(({ name, input }) => ({
    id: nextId("call"),
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  if (body.stream !== true) {
    const message = {
      role: "assistant",
      content: said.text || null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choices = [{ index: 0, message, finish_reason: finish[said.end], logprobs: null }];
    return json({ ...base, object: "chat.completion", choices, usage })(response, request);
  }
  const asksUsage = body.stream_options?.include_usage === true;
  const chunk = (choices: object[], told: object | null = null) =>
    `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...(asksUsage && { usage: told }) })}\n\n`;
  const delta = (value: object, reason: string | null = null) =>
    chunk([{ index: 0, delta: value, finish_reason: reason }]);
  return send(response, [
    delta({ role: "assistant", content: said.text === "" ? null : "" }),
    ...pieces(said.text).map((content) => delta({ content })),
    ...calls.flatMap((call, index) => chatCall(call, index).map((said) => delta(said))),
    delta({}, finish[said.end]),
    ...(asksUsage ? [chunk([], usage)] : []),
    "data: [DONE]\n\n",
  ]);
}

function chatCall(
  call: { id: string; type: string; function: { name: string; arguments: string } },
  index: number,
): object[] {
  const { name, arguments: text } = call.function;
  const first = { ...call, index, function: { name, arguments: "" } };
  const rest = pieces(text).map((piece) => ({ index, function: { arguments: piece } }));
  return [first, ...rest].map((said) => ({ tool_calls: [said] }));
}

const stopReason = {
  end: "end_turn",
  stop: "stop_sequence",
  length: "max_tokens",
  calls: "tool_use",
};

function answerMessages(
  response: ServerResponse,
  request: ReceivedRequest,
  body: Body,
  said: Said,
): unknown {
  const usage = { input_tokens: said.input, output_tokens: said.output };
  const stop_reason = stopReason[said.end];
  const stop_sequence = said.end === "stop" ? (body.stop_sequences?.[0] ?? null) : null;
  const base = { id: nextId("msg"), type: "message", role: "assistant", model: "m" };
  const content = [
    ...(said.text === "" ? [] : [{ type: "text", text: said.text }]),
    ...said.calls.map((call) => ({ type: "tool_use", id: nextId("toolu"), ...call })),
  ];
  if (body.stream !== true) {
    return json({ ...base, content, stop_reason, stop_sequence, usage })(response, request);
  }
  const begun = { ...base, content: [], stop_reason: null, stop_sequence: null };
  const events = [
    { type: "message_start", message: { ...begun, usage: { ...usage, output_tokens: 1 } } },
    ...content.flatMap(blockEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" },
  ];
  return send(
    response,
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  );
}

type Block = { type: string; text?: string; input?: object };

function blockEvents(block: Block, index: number): { type: string }[] {
  const { text, input } = block;
  const empty = text === undefined ? { ...block, input: {} } : { ...block, text: "" };
  const deltas =
    text === undefined
      ? pieces(JSON.stringify(input)).map((json) => ({
          type: "input_json_delta",
          partial_json: json,
        }))
      : pieces(text).map((piece) => ({ type: "text_delta", text: piece }));
  return [
    { type: "content_block_start", index, content_block: empty },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ] as { type: string }[];
}

function pieces(text: string): string[] {
  const middle = text.indexOf(" ", text.length / 2);
  return (middle === -1 ? [text] : [text.slice(0, middle), text.slice(middle)]).filter(
    (part) => part !== "",
  );
}

/** Written in pieces that cut letters in two. */
function send(response: ServerResponse, frames: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const bytes = Buffer.from(frames.join(""));
  for (let at = 0; at < bytes.length; at += 97) response.write(bytes.subarray(at, at + 97));
  response.end();
}
