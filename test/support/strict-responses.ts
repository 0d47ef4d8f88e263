import { z } from "zod";

/**
 * What the strictest clients demand of an answer: the schemas by which AI SDK 6
 * and 7 read the vendors' answers, and every field that the Open Responses schema
 * (openresponses.org, 2026-04-24) requires. A member that is `optional` here may
 * be absent and not null. Members that are not named may be there.
 */

const count = z.int().min(0);
const text = z.string();

const messagesUsage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
  output_tokens_details: z.object({ thinking_tokens: count }).optional(),
  service_tier: z.enum(["standard", "priority", "batch"]).optional(),
});

const webCitation = z.object({
  type: z.literal("web_search_result_location"),
  url: text,
  title: text,
  cited_text: text,
  encrypted_index: text,
});

const anyObject = z.record(text, z.unknown());

const block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text, citations: z.array(webCitation).optional() }),
  z.object({ type: z.literal("thinking"), thinking: text, signature: text }),
  z.object({ type: z.literal("redacted_thinking"), data: text }),
  z.object({ type: z.literal("tool_use"), id: text, name: text, input: anyObject }),
]);

const stop = {
  stop_reason: text.nullable(),
  stop_sequence: text.nullable(),
  stop_details: z
    .object({ type: z.literal("refusal"), category: text.nullable(), explanation: text.nullable() })
    .nullable(),
};

const messageHead = {
  id: text,
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: text,
  container: z.null(),
  diagnostics: z.null(),
  usage: messagesUsage,
};

const message = z.object({ ...messageHead, ...stop, content: z.array(block) });

const messageEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message_start"),
    message: z.object({ ...messageHead, stop_reason: z.null(), content: z.array(z.never()) }),
  }),
  z.object({
    type: z.literal("content_block_start"),
    index: count,
    content_block: block,
  }),
  z.object({
    type: z.literal("content_block_delta"),
    index: count,
    delta: z.discriminatedUnion("type", [
      z.object({ type: z.literal("text_delta"), text }),
      z.object({ type: z.literal("thinking_delta"), thinking: text }),
      z.object({ type: z.literal("signature_delta"), signature: text }),
      z.object({ type: z.literal("input_json_delta"), partial_json: text }),
      z.object({ type: z.literal("citations_delta"), citation: webCitation }),
    ]),
  }),
  z.object({ type: z.literal("content_block_stop"), index: count }),
  z.object({ type: z.literal("message_delta"), delta: z.object(stop), usage: messagesUsage }),
  z.object({ type: z.literal("message_stop") }),
  z.object({ type: z.literal("ping") }),
]);

const chatUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z
    .object({ cached_tokens: count.optional(), cache_write_tokens: count.optional() })
    .optional(),
  completion_tokens_details: z.object({ reasoning_tokens: count }).optional(),
});

const urlCitation = { start_index: count, end_index: count, url: text, title: text };

const annotations = z
  .array(z.object({ type: z.literal("url_citation"), url_citation: z.object(urlCitation) }))
  .optional();

const finish = z.enum(["stop", "length", "tool_calls", "content_filter"]);

const chatHead = {
  id: text,
  created: count,
  model: text,
  service_tier: text.optional(),
};

const completion = z.object({
  ...chatHead,
  object: z.literal("chat.completion"),
  choices: z.array(
    z.object({
      index: count,
      message: z.object({
        role: z.literal("assistant"),
        content: text.nullable(),
        refusal: text.nullable(),
        annotations,
        tool_calls: z
          .array(
            z.object({
              id: text,
              type: z.literal("function"),
              function: z.object({ name: text, arguments: text }),
            }),
          )
          .optional(),
      }),
      logprobs: z.null(),
      finish_reason: finish,
    }),
  ),
  usage: chatUsage,
});

const chunk = z.object({
  ...chatHead,
  object: z.literal("chat.completion.chunk"),
  choices: z.array(
    z.object({
      index: count,
      delta: z.object({
        role: z.literal("assistant").optional(),
        content: text.nullish(),
        refusal: text.nullish(),
        annotations,
        tool_calls: z
          .array(
            z.object({
              index: count,
              id: text.optional(),
              type: z.literal("function").optional(),
              function: z.object({ name: text.optional(), arguments: text.optional() }),
            }),
          )
          .optional(),
      }),
      logprobs: z.null(),
      finish_reason: finish.nullable(),
    }),
  ),
  usage: chatUsage.nullish(),
});

const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

const annotation = z.object({ type: z.literal("url_citation"), ...urlCitation });

const outputText = z.object({
  type: z.literal("output_text"),
  text,
  annotations: z.array(annotation),
  logprobs: z.array(z.unknown()),
});

const outputPart = z.discriminatedUnion("type", [
  outputText,
  z.object({ type: z.literal("refusal"), refusal: text }),
]);

const summary = z.object({ type: z.literal("summary_text"), text });

const item = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    id: text,
    status: itemStatus,
    role: z.literal("assistant"),
    content: z.array(outputPart),
  }),
  z.object({
    type: z.literal("function_call"),
    id: text,
    call_id: text,
    name: text,
    arguments: text,
    status: itemStatus,
  }),
  z.object({
    type: z.literal("reasoning"),
    id: text,
    summary: z.array(summary),
    encrypted_content: text.optional(),
  }),
]);

const responsesUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: z.object({ cached_tokens: count }),
  output_tokens_details: z.object({ reasoning_tokens: count }),
});

const format = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["text", "json_object"]) }),
  z.object({
    type: z.literal("json_schema"),
    name: text,
    description: text.nullable(),
    schema: anyObject,
    strict: z.boolean(),
  }),
]);

const settings = {
  background: z.boolean(),
  frequency_penalty: z.number(),
  instructions: text.nullable(),
  max_output_tokens: count.nullable(),
  max_tool_calls: count.nullable(),
  metadata: z.record(text, text),
  parallel_tool_calls: z.boolean(),
  presence_penalty: z.number(),
  previous_response_id: text.nullable(),
  prompt_cache_key: text.nullable(),
  reasoning: z.object({ effort: text.nullable(), summary: text.nullable() }),
  safety_identifier: text.nullable(),
  service_tier: text,
  store: z.boolean(),
  temperature: z.number(),
  text: z.object({ format, verbosity: z.enum(["low", "medium", "high"]).optional() }),
  tool_choice: z.union([
    z.enum(["none", "auto", "required"]),
    z.object({ type: z.literal("function"), name: text }),
  ]),
  tools: z.array(
    z.object({
      type: z.literal("function"),
      name: text,
      description: text.nullable(),
      parameters: anyObject.nullable(),
      strict: z.boolean().nullable(),
    }),
  ),
  top_logprobs: count,
  top_p: z.number(),
  truncation: z.enum(["auto", "disabled"]),
};

const responseHead = {
  ...settings,
  id: text,
  object: z.literal("response"),
  created_at: count,
  model: text,
};

const begunResponse = z.object({
  ...responseHead,
  status: z.literal("in_progress"),
  completed_at: z.null(),
  error: z.null(),
  incomplete_details: z.null(),
  output: z.array(z.never()),
  usage: z.null(),
});

const ended = { ...responseHead, output: z.array(item), usage: responsesUsage };

const response = z.discriminatedUnion("status", [
  z.object({
    ...ended,
    status: z.literal("completed"),
    completed_at: count,
    error: z.null(),
    incomplete_details: z.null(),
  }),
  z.object({
    ...ended,
    status: z.literal("incomplete"),
    completed_at: z.null(),
    error: z.null(),
    incomplete_details: z.object({ reason: text }),
  }),
]);

const numbered = { sequence_number: count };
const placed = { ...numbered, item_id: text, output_index: count };
const inContent = { ...placed, content_index: count };
const inSummary = { ...placed, summary_index: count };

const responseEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.enum(["response.created", "response.in_progress"]),
    ...numbered,
    response: begunResponse,
  }),
  z.object({
    type: z.enum(["response.completed", "response.incomplete"]),
    ...numbered,
    response,
  }),
  z.object({
    type: z.enum(["response.output_item.added", "response.output_item.done"]),
    ...numbered,
    output_index: count,
    item,
  }),
  z.object({
    type: z.enum(["response.content_part.added", "response.content_part.done"]),
    ...inContent,
    part: outputPart,
  }),
  z.object({
    type: z.literal("response.output_text.delta"),
    ...inContent,
    delta: text,
    logprobs: z.array(z.unknown()),
  }),
  z.object({
    type: z.literal("response.output_text.done"),
    ...inContent,
    text,
    logprobs: z.array(z.unknown()),
  }),
  z.object({
    type: z.literal("response.output_text.annotation.added"),
    ...inContent,
    annotation_index: count,
    annotation,
  }),
  z.object({
    type: z.literal("response.function_call_arguments.delta"),
    ...placed,
    delta: text,
  }),
  z.object({
    type: z.literal("response.function_call_arguments.done"),
    ...placed,
    arguments: text,
  }),
  z.object({
    type: z.enum(["response.reasoning_summary_part.added", "response.reasoning_summary_part.done"]),
    ...inSummary,
    part: summary,
  }),
  z.object({
    type: z.literal("response.reasoning_summary_text.delta"),
    ...inSummary,
    delta: text,
  }),
  z.object({ type: z.literal("response.reasoning_summary_text.done"), ...inSummary, text }),
]);

/** Whole answers that have ended, by the caller's dialect; `safeParse` tells what is wrong. */
export const strictResponses = { chat: completion, messages: message, responses: response };

/** The data of one event of a stream that ends well. */
export const strictEvents = { chat: chunk, messages: messageEvent, responses: responseEvent };
