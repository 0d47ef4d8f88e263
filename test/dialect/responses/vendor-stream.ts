type Data = Record<string, unknown>;

/** A stream of the vendor as it would go over the wire: named, numbered events. */
export function vendorStream(events: readonly Data[]): string {
  return events
    .map((data, index) => {
      const text = JSON.stringify({ sequence_number: index, ...data });
      return `event: ${String(data["type"])}\ndata: ${text}\n\n`;
    })
    .join("");
}

export const vendorUsage = {
  input_tokens: 2307,
  input_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 2357,
};

const annotation = {
  type: "url_citation",
  url: "https://news.example/a",
  title: "A",
  start_index: 0,
  end_index: 5,
};

const text = { type: "output_text", text: "Grüße 🙂", annotations: [annotation], logprobs: [] };
const refusal = { type: "refusal", refusal: "Not more." };

/** Output of the whole answer: thought, the vendor's search, two kinds of content, both kinds of calls. */
export const vendorOutput: readonly Data[] = [
  {
    id: "rs_up",
    type: "reasoning",
    summary: [
      { type: "summary_text", text: "First. " },
      { type: "summary_text", text: "Second." },
    ],
    encrypted_content: "gAAAA-secret",
  },
  { id: "ws_up", type: "web_search_call", status: "completed", action: { type: "search" } },
  {
    id: "msg_up",
    type: "message",
    status: "completed",
    role: "assistant",
    content: [text, refusal],
  },
  {
    id: "fc_up",
    type: "function_call",
    status: "completed",
    call_id: "call_up_1",
    name: "look_up",
    arguments: '{"q":"ключ"}',
  },
  {
    id: "ctc_up",
    type: "custom_tool_call",
    status: "completed",
    call_id: "call_up_2",
    name: "apply_patch",
    namespace: "files",
    input: "*** Begin",
  },
];

function added(place: number, change: Data): Data {
  const item = { ...vendorOutput[place], status: "in_progress", ...change };
  return { type: "response.output_item.added", output_index: place, item };
}

function done(place: number): Data {
  return { type: "response.output_item.done", output_index: place, item: vendorOutput[place] };
}

/** Place of the events of an item; the vendor's ids, unless a server makes them up anew each time. */
function at(place: number, more: Data): Data {
  return { item_id: vendorOutput[place]?.["id"], output_index: place, ...more };
}

const thoughtAt = (summary_index: number) => at(0, { summary_index });
const textAt = (content_index: number) => at(2, { content_index });

/** The stream of `vendorOutput`, with the events of the vendor's own tool and one that nobody knows. */
export const vendorEvents: readonly Data[] = [
  { type: "response.created", response: { id: "resp_up", status: "in_progress", output: [] } },
  { type: "response.in_progress", response: { id: "resp_up", status: "in_progress", output: [] } },
  added(0, { summary: [], encrypted_content: undefined }),
  {
    type: "response.reasoning_summary_part.added",
    ...thoughtAt(0),
    part: { type: "summary_text", text: "" },
  },
  { type: "response.reasoning_summary_text.delta", ...thoughtAt(0), delta: "First" },
  { type: "response.reasoning_summary_text.delta", ...thoughtAt(0), delta: ". " },
  { type: "response.reasoning_summary_text.done", ...thoughtAt(0), text: "First. " },
  {
    type: "response.reasoning_summary_part.done",
    ...thoughtAt(0),
    part: { type: "summary_text", text: "First. " },
  },
  {
    type: "response.reasoning_summary_part.added",
    ...thoughtAt(1),
    part: { type: "summary_text", text: "" },
  },
  { type: "response.reasoning_summary_text.delta", ...thoughtAt(1), delta: "Second." },
  { type: "response.reasoning_summary_text.done", ...thoughtAt(1), text: "Second." },
  {
    type: "response.reasoning_summary_part.done",
    ...thoughtAt(1),
    part: { type: "summary_text", text: "Second." },
  },
  done(0),
  added(1, {}),
  { type: "response.web_search_call.searching", ...at(1, {}) },
  { type: "response.web_search_call.completed", ...at(1, {}) },
  done(1),
  { type: "response.shiny_new.event", ...at(1, {}), shine: 9 },
  added(2, { content: [] }),
  {
    type: "response.content_part.added",
    ...textAt(0),
    part: { ...text, text: "", annotations: [] },
  },
  {
    type: "response.output_text.delta",
    ...textAt(0),
    delta: "Grü",
    logprobs: [],
    obfuscation: "xx",
  },
  {
    type: "response.output_text.delta",
    ...textAt(0),
    delta: "ße 🙂",
    logprobs: [],
    obfuscation: "x",
  },
  { type: "response.output_text.annotation.added", ...textAt(0), annotation_index: 0, annotation },
  { type: "response.output_text.done", ...textAt(0), text: text.text, logprobs: [] },
  { type: "response.content_part.done", ...textAt(0), part: text },
  { type: "response.content_part.added", ...textAt(1), part: { type: "refusal", refusal: "" } },
  { type: "response.refusal.delta", ...textAt(1), delta: "Not more." },
  { type: "response.refusal.done", ...textAt(1), refusal: "Not more." },
  { type: "response.content_part.done", ...textAt(1), part: refusal },
  done(2),
  added(3, { arguments: "" }),
  added(4, { input: "" }),
  { type: "response.function_call_arguments.delta", ...at(3, {}), delta: '{"q":' },
  { type: "response.custom_tool_call_input.delta", ...at(4, {}), delta: "*** " },
  { type: "response.function_call_arguments.delta", ...at(3, {}), delta: '"ключ"}' },
  { type: "response.custom_tool_call_input.delta", ...at(4, {}), delta: "Begin" },
  { type: "response.function_call_arguments.done", ...at(3, {}), arguments: '{"q":"ключ"}' },
  done(3),
  { type: "response.custom_tool_call_input.done", ...at(4, {}), input: "*** Begin" },
  done(4),
  { type: "response.completed", response: vendorResponse() },
];

/** The whole answer that the stream tells. */
export function vendorResponse(change: Data = {}): Data {
  return {
    id: "resp_up",
    object: "response",
    created_at: 1,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "gpt-x-2026",
    output: vendorOutput,
    usage: vendorUsage,
    ...change,
  };
}
