function named(data: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  const value = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices,
  };
  return `data: ${JSON.stringify(value)}\n\n`;
}

const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
const item = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "in_progress",
  content: [],
};
const donePart = { ...part, text: "Hé!" };
const doneItem = { ...item, status: "completed", content: [donePart] };
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: "m",
  output: [],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
};
const usage = {
  input_tokens: 3,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 2,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 5,
};
const at = { item_id: "msg_1", output_index: 0 };

/** A short whole stream in each dialect, frame by frame, that says "Hé!". */
export const streamFrames = {
  chat: [
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "Hé" }),
    chunk({ content: "!" }),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ],
  messages: [
    named({
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [],
        model: "m",
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    }),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    named({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "Hé!" },
    }),
    named({ type: "content_block_stop", index: 0 }),
    named({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 2 },
    }),
    named({ type: "message_stop" }),
  ],
  responses: [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.content_part.added", ...at, content_index: 0, part },
    { type: "response.output_text.delta", ...at, content_index: 0, delta: "Hé!", logprobs: [] },
    { type: "response.output_text.done", ...at, content_index: 0, text: "Hé!", logprobs: [] },
    { type: "response.content_part.done", ...at, content_index: 0, part: donePart },
    { type: "response.output_item.done", output_index: 0, item: doneItem },
    {
      type: "response.completed",
      response: { ...response, status: "completed", output: [doneItem], usage },
    },
  ].map((event, index) => named({ ...event, sequence_number: index })),
};
