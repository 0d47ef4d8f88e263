type Event = { readonly type: string; readonly [member: string]: unknown };

function named(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** What one upstream of each dialect answers: the same turn, whole and as a stream. */
export interface ResponseFixture {
  readonly whole: object;
  /** Frame by frame. */
  readonly frames: readonly string[];
}

const args = '{"city":"Zürich"}';

const chatUsage = {
  prompt_tokens: 12,
  completion_tokens: 7,
  total_tokens: 19,
  prompt_tokens_details: { cached_tokens: 4 },
};

function chunk(delta: object, finish: string | null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const base = { id: "chatcmpl-up", object: "chat.completion.chunk", created: 1, model: "up" };
  return `data: ${JSON.stringify({ ...base, choices, ...more })}\n\n`;
}

const chat: ResponseFixture = {
  whole: {
    id: "chatcmpl-up",
    object: "chat.completion",
    created: 1,
    model: "up",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "Hé! 🙂",
          tool_calls: [
            { id: "call_up", type: "function", function: { name: "weather", arguments: args } },
          ],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage: chatUsage,
  },
  frames: [
    chunk({ role: "assistant", content: "" }, null),
    chunk({ content: "Hé! " }, null),
    chunk({ content: "🙂" }, null),
    chunk(
      {
        tool_calls: [
          {
            index: 0,
            id: "call_up",
            type: "function",
            function: { name: "weather", arguments: "" },
          },
        ],
      },
      null,
    ),
    chunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(0, 6) } }] }, null),
    chunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(6) } }] }, null),
    chunk({}, "tool_calls"),
    chunk({}, null, { choices: [], usage: chatUsage }),
    "data: [DONE]\n\n",
  ],
};

const messagesUsage = { input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 7 };
const message = {
  id: "msg_up",
  type: "message",
  role: "assistant",
  model: "up",
  stop_sequence: null,
};

const messages: ResponseFixture = {
  whole: {
    ...message,
    content: [
      { type: "text", text: "Hé! 🙂" },
      { type: "tool_use", id: "call_up", name: "weather", input: { city: "Zürich" } },
    ],
    stop_reason: "tool_use",
    usage: messagesUsage,
  },
  frames: [
    {
      type: "message_start",
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...messagesUsage, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hé! " } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "🙂" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: "call_up", name: "weather", input: {} },
    },
    {
      type: "content_block_delta",
      index: 1,
      delta: { type: "input_json_delta", partial_json: args.slice(0, 6) },
    },
    {
      type: "content_block_delta",
      index: 1,
      delta: { type: "input_json_delta", partial_json: args.slice(6) },
    },
    { type: "content_block_stop", index: 1 },
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 7 },
    },
    { type: "message_stop" },
  ].map(named),
};

const responsesUsage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 19,
};
const part = { type: "output_text", text: "Hé! 🙂", annotations: [], logprobs: [] };
const item = {
  id: "msg_up",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [part],
};
const call = {
  id: "fc_up",
  type: "function_call",
  call_id: "call_up",
  name: "weather",
  arguments: args,
  status: "completed",
};
const response = {
  id: "resp_up",
  object: "response",
  created_at: 1,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: "up",
  output: [item, call],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage: responsesUsage,
};
const begun = { ...response, status: "in_progress", output: [], usage: null };
const first = { item_id: "msg_up", output_index: 0 };
const second = { item_id: "fc_up", output_index: 1 };

const responses: ResponseFixture = {
  whole: response,
  frames: [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    {
      type: "response.content_part.added",
      ...first,
      content_index: 0,
      part: { ...part, text: "" },
    },
    { type: "response.output_text.delta", ...first, content_index: 0, delta: "Hé! ", logprobs: [] },
    { type: "response.output_text.delta", ...first, content_index: 0, delta: "🙂", logprobs: [] },
    {
      type: "response.output_text.done",
      ...first,
      content_index: 0,
      text: part.text,
      logprobs: [],
    },
    { type: "response.content_part.done", ...first, content_index: 0, part },
    { type: "response.output_item.done", output_index: 0, item },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { ...call, arguments: "", status: "in_progress" },
    },
    { type: "response.function_call_arguments.delta", ...second, delta: args.slice(0, 6) },
    { type: "response.function_call_arguments.delta", ...second, delta: args.slice(6) },
    { type: "response.function_call_arguments.done", ...second, arguments: args },
    { type: "response.output_item.done", output_index: 1, item: call },
    { type: "response.completed", response },
  ].map((event, index) => named({ ...event, sequence_number: index })),
};

/** By the upstream's dialect. */
export const responseFixtures = { chat, messages, responses };
