import { asArrayOrEmpty, asObject, type JsonObject } from "../../../../src/dialect/json.ts";
import {
  outputTokens,
  piecesOf,
  wordCount,
  wordsIn,
  type Call,
  type StrictReply,
} from "../request.ts";
import { logprobsOf } from "../logprobs.ts";
import { nextId } from "../next-id.ts";
import { signatureOf } from "../signature.ts";
import { settingsOf } from "./settings.ts";

const createdAt = 1_790_000_000;

/** The whole answer. `asked` is the body as it came, `body` as it was recalled. */
export function responsesResponse(
  body: JsonObject,
  reply: StrictReply,
  asked: JsonObject = body,
): JsonObject {
  const isCut = reply.end === "length";
  return {
    id: nextId("resp_"),
    object: "response",
    created_at: createdAt,
    completed_at: isCut ? null : createdAt + 1,
    status: isCut ? "incomplete" : "completed",
    error: null,
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    model: body["model"],
    output: outputOf(body, reply),
    ...settingsOf({ ...body, previous_response_id: asked["previous_response_id"] }),
    usage: usageOf(body, reply),
  };
}

/** The same as a stream. */
export function responsesFrames(last: JsonObject): readonly string[] {
  const begun = { ...last, status: "in_progress", completed_at: null, output: [], usage: null };
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...asArrayOrEmpty(last["output"]).flatMap((item, at) => itemEvents(asObject(item) ?? {}, at)),
    { type: `response.${String(last["status"])}`, response: last },
  ];
  return events.map(
    (event, sequence_number) =>
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
}

function outputOf(
  body: JsonObject,
  { thought, text, calls, end }: StrictReply,
): readonly JsonObject[] {
  const status = end === "length" ? "incomplete" : "completed";
  const asksLogprobs = asArrayOrEmpty(body["include"]).includes("message.output_text.logprobs");
  const logprobs = asksLogprobs ? logprobsOf(text, body) : [];
  const content = [{ type: "output_text", text, annotations: [], logprobs }];
  return [
    ...(thought === undefined ? [] : [thoughtItem(body, thought)]),
    ...(text === ""
      ? []
      : [{ type: "message", id: nextId("msg_"), status, role: "assistant", content }]),
    ...calls.map(callItem),
  ];
}

/** What can be sent back is told to those who ask for it. */
function thoughtItem(body: JsonObject, thought: string): JsonObject {
  const id = nextId("rs_");
  const isAsked = asArrayOrEmpty(body["include"]).includes("reasoning.encrypted_content");
  const summary = [{ type: "summary_text", text: thought }];
  return { type: "reasoning", id, summary, ...(isAsked && { encrypted_content: signatureOf(id) }) };
}

function callItem({ tool: { name, namespace, kind }, input }: Call): JsonObject {
  const shared = { status: "completed", call_id: nextId("call_") };
  if (kind === "search") {
    const type = "tool_search_call";
    return {
      type,
      id: nextId("tsc_"),
      execution: "client",
      arguments: JSON.parse(input) as unknown,
      ...shared,
    };
  }
  const place = namespace === undefined ? {} : { namespace };
  return kind === "custom"
    ? { type: "custom_tool_call", id: nextId("ctc_"), name, input, ...place, ...shared }
    : { type: "function_call", id: nextId("fc_"), name, arguments: input, ...place, ...shared };
}

type Event = { readonly type: string } & JsonObject;

function itemEvents(item: JsonObject, output_index: number): readonly Event[] {
  const begun = { ...item, status: "in_progress", ...emptied(item) };
  return [
    { type: "response.output_item.added", output_index, item: begun },
    ...innerEvents(item, { item_id: item["id"], output_index }),
    { type: "response.output_item.done", output_index, item },
  ];
}

function emptied({ type }: JsonObject): JsonObject {
  switch (type) {
    case "message":
      return { content: [] };
    case "reasoning":
      return { summary: [] };
    case "function_call":
      return { arguments: "" };
    case "custom_tool_call":
      return { input: "" };
    default:
      return {};
  }
}

function innerEvents(item: JsonObject, place: JsonObject): readonly Event[] {
  switch (item["type"]) {
    case "message":
      return asArrayOrEmpty(item["content"]).flatMap((part) =>
        textEvents(part as JsonObject, place),
      );
    case "reasoning":
      return asArrayOrEmpty(item["summary"]).flatMap((part) =>
        summaryEvents(part as JsonObject, place),
      );
    case "function_call":
      return wordEvents("response.function_call_arguments", "arguments", item["arguments"], place);
    case "custom_tool_call":
      return wordEvents("response.custom_tool_call_input", "input", item["input"], place);
    default:
      return [];
  }
}

function wordEvents(
  family: string,
  field: string,
  words: unknown,
  place: JsonObject,
): readonly Event[] {
  return [
    ...piecesOf(String(words)).map((delta) => ({ type: `${family}.delta`, ...place, delta })),
    { type: `${family}.done`, ...place, [field]: words },
  ];
}

function textEvents(part: JsonObject, item: JsonObject): readonly Event[] {
  const place = { ...item, content_index: 0 };
  return [
    { type: "response.content_part.added", ...place, part: { ...part, text: "", logprobs: [] } },
    ...piecesOf(String(part["text"])).map((delta, at) => ({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: asArrayOrEmpty(part["logprobs"]).slice(at, at + 1),
    })),
    {
      type: "response.output_text.done",
      ...place,
      text: part["text"],
      logprobs: part["logprobs"],
    },
    { type: "response.content_part.done", ...place, part },
  ];
}

function summaryEvents(part: JsonObject, item: JsonObject): readonly Event[] {
  const place = { ...item, summary_index: 0 };
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
    ...wordEvents("response.reasoning_summary_text", "text", part["text"], place),
    { type: "response.reasoning_summary_part.done", ...place, part },
  ];
}

function usageOf(body: JsonObject, reply: StrictReply): JsonObject {
  const input_tokens = wordsIn([body["instructions"], body["input"]]).length;
  const reasoning_tokens = wordCount(reply.thought ?? "");
  const output_tokens = outputTokens(reply);
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: reply.cached, cache_write_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}
