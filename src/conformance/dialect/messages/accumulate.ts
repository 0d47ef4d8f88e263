import type { SseEvent } from "../../../platform/sse/stream-event.ts";
import { objectOrEmpty, tryParseJsonObject, stringOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";
import { ConformanceStreamError } from "../conformance-dialect.ts";

interface Message {
  head: JsonObject;
  usage: JsonObject;
  isOver: boolean;
  readonly blocks: Block[];
}

interface Block {
  readonly fields: Record<string, unknown>;
  /** JSON of a call's input as far as it came; undefined: none came. */
  json: string | undefined;
}

/** The events that the official client hands on; others are invisible to it. */
const known = new Set([
  "message_start",
  "message_delta",
  "message_stop",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "error",
]);

/** The message that the events of a stream add up to. */
export function accumulateMessagesStream(events: readonly SseEvent[]): JsonObject {
  let message: Message | undefined;
  for (const { name, data } of events) {
    if (name === undefined || !known.has(name)) continue;
    const event = tryParseJsonObject(data);
    if (event === undefined) throw new ConformanceStreamError("An event holds no JSON object.");
    if (name === "error") throw new ConformanceStreamError(`The stream tells an error: ${data}`);
    message = step(message, event);
  }
  if (message === undefined)
    throw new ConformanceStreamError("No event of the stream begins a message.");
  if (!message.isOver) throw new ConformanceStreamError("The stream ends without `message_stop`.");
  return print(message);
}

function step(message: Message | undefined, event: JsonObject): Message | undefined {
  if (event["type"] === "message_start") return start(message, objectOrEmpty(event["message"]));
  if (message === undefined) return undefined;
  switch (event["type"]) {
    case "content_block_start":
      message.blocks.push({
        fields: { ...objectOrEmpty(event["content_block"]) },
        json: undefined,
      });
      break;
    case "content_block_delta":
      extend(message.blocks[Number(event["index"])], objectOrEmpty(event["delta"]));
      break;
    case "message_delta":
      takeEnd(message, event);
      break;
    case "message_stop":
      message.isOver = true;
      break;
    default:
  }
  return message;
}

function start(message: Message | undefined, head: JsonObject): Message {
  if (message !== undefined) throw new ConformanceStreamError("`message_start` comes twice.");
  const blocks = asArrayOrEmpty(head["content"]).map((block) => ({
    fields: { ...objectOrEmpty(block) },
    json: undefined,
  }));
  return { head, usage: objectOrEmpty(head["usage"]), isOver: false, blocks };
}

/** A delta of another family than its block's is dropped, as the client does. */
function extend(block: Block | undefined, delta: JsonObject): void {
  if (block === undefined) throw new ConformanceStreamError("A delta belongs to no block.");
  const { fields } = block;
  switch (`${String(fields["type"])} ${String(delta["type"])}`) {
    case "text text_delta":
      fields["text"] = stringOrEmpty(fields["text"]) + stringOrEmpty(delta["text"]);
      break;
    case "text citations_delta":
      fields["citations"] = [...asArrayOrEmpty(fields["citations"]), delta["citation"]];
      break;
    case "thinking thinking_delta":
      fields["thinking"] = stringOrEmpty(fields["thinking"]) + stringOrEmpty(delta["thinking"]);
      break;
    case "thinking signature_delta":
      fields["signature"] = delta["signature"];
      break;
    case "tool_use input_json_delta":
    case "server_tool_use input_json_delta":
      block.json = (block.json ?? "") + String(delta["partial_json"]);
      break;
    default:
  }
}

const overwritten = [
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "server_tool_use",
  "output_tokens_details",
];

/** The reason is replaced even by a missing one; counts are replaced by those that are there. */
function takeEnd(message: Message, event: JsonObject): void {
  const { stop_reason, stop_sequence, stop_details } = objectOrEmpty(event["delta"]);
  if (typeof event["usage"] !== "object" || event["usage"] === null) {
    throw new ConformanceStreamError("`message_delta` has no `usage`.");
  }
  const usage = objectOrEmpty(event["usage"]);
  const told = overwritten.filter((name) => usage[name] !== undefined && usage[name] !== null);
  message.head = { ...message.head, stop_reason, stop_sequence, stop_details };
  message.usage = {
    ...message.usage,
    output_tokens: usage["output_tokens"],
    ...Object.fromEntries(told.map((name) => [name, usage[name]])),
  };
}

const cutOff = new Set<unknown>(["max_tokens", "model_context_window_exceeded"]);

function print({ head, usage, blocks }: Message): JsonObject {
  const isCut = cutOff.has(head["stop_reason"]);
  return { ...head, content: blocks.map((block) => serializeBlock(block, isCut)), usage };
}

/** Input that a cap cut off stays text; the client completes what it can. */
function serializeBlock({ fields, json }: Block, isCut: boolean): JsonObject {
  if (json === undefined) return fields;
  if (json === "") return { ...fields, input: {} };
  const input = tryParseJsonObject(json);
  if (input === undefined && !isCut)
    throw new ConformanceStreamError("The input of a call is no JSON object.");
  return { ...fields, input: input ?? json };
}
