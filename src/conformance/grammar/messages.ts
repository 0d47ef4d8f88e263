import type { SseEvent } from "../../platform/sse/stream-event.ts";
import { objectOrEmpty, tryParseJsonObject, stringOrEmpty } from "./fields.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import type { DialectStreamViolation } from "./grammar-violation.ts";
import {
  checkContentBlockDelta,
  checkContentBlockStart,
  checkContentBlockStop,
} from "./messages-blocks.ts";
import type { MessagesStreamCheckState } from "./messages-stream-state.ts";

/**
 * Where a stream breaks the grammar of the messages dialect: events named like
 * their `type`, one `message_start`, content blocks strictly one after the other,
 * one `message_delta` with reason and usage, `message_stop`. An `error` event may
 * end it anywhere. Event types that are not known are let pass, as clients do.
 */
export function checkMessagesStream(
  events: readonly SseEvent[],
): readonly DialectStreamViolation[] {
  const faults: DialectStreamViolation[] = [];
  const reading: MessagesStreamCheckState = {
    phase: "before",
    nextIndex: 0,
    open: undefined,
    brokenCalls: [],
    error: (rule, message) => faults.push({ rule, event: reading.event, message }),
    event: 0,
  };
  for (const event of events) {
    checkEvent(reading, event);
    reading.event += 1;
  }
  if (reading.phase !== "over") {
    reading.error("end", "The stream ended without `message_stop` or an error.");
  }
  return faults;
}

function checkEvent(reading: MessagesStreamCheckState, event: SseEvent): void {
  const data = tryParseJsonObject(event.data);
  if (data === undefined) return reading.error("json", "The data is no JSON object.");
  const { type } = data;
  if (type !== event.name) {
    reading.error(
      "name",
      `The event is named \`${event.name ?? ""}\`, its type is \`${stringOrEmpty(type)}\`.`,
    );
  }
  if (reading.phase === "over") return reading.error("after-end", "An event follows the end.");
  if (reading.phase === "before" && type !== "message_start" && type !== "error") {
    reading.error("first", "The first event must be `message_start`.");
    reading.phase = "open";
  }
  checkType(reading, data);
}

function checkType(reading: MessagesStreamCheckState, data: JsonObject): void {
  switch (data["type"]) {
    case "message_start":
      return checkStart(reading, objectOrEmpty(data["message"]));
    case "content_block_start":
      return checkContentBlockStart(reading, data);
    case "content_block_delta":
      return checkContentBlockDelta(reading, data);
    case "content_block_stop":
      return checkContentBlockStop(reading, data);
    case "message_delta":
      return checkDelta(reading, data);
    case "message_stop":
      return checkStop(reading);
    case "error":
      return checkError(reading, objectOrEmpty(data["error"]));
    default:
  }
}

function checkStart(reading: MessagesStreamCheckState, message: JsonObject): void {
  if (reading.phase !== "before") return reading.error("one-start", "`message_start` came twice.");
  reading.phase = "open";
  for (const name of ["id", "model"]) {
    if (stringOrEmpty(message[name]) === "")
      reading.error("message", `\`message.${name}\` is missing.`);
  }
  if (message["type"] !== "message" || message["role"] !== "assistant") {
    reading.error("message", "The message must be of type `message` and role `assistant`.");
  }
  if (!Array.isArray(message["content"]) || message["content"].length > 0) {
    reading.error("message", "`message.content` must be an empty array at the start.");
  }
  if (message["stop_reason"] !== null || message["stop_sequence"] !== null) {
    reading.error("message", "`stop_reason` and `stop_sequence` must be null at the start.");
  }
  checkCounts(reading, objectOrEmpty(message["usage"]), ["input_tokens", "output_tokens"]);
}

function checkDelta(reading: MessagesStreamCheckState, data: JsonObject): void {
  if (reading.open !== undefined)
    reading.error("block-open", "A block is open at `message_delta`.");
  if (reading.phase === "ending") {
    return reading.error("one-delta", "`message_delta` came twice: the second erases the reason.");
  }
  reading.phase = "ending";
  const reason = objectOrEmpty(data["delta"])["stop_reason"];
  if (stringOrEmpty(reason) === "") reading.error("stop-reason", "`delta.stop_reason` is missing.");
  checkCounts(reading, objectOrEmpty(data["usage"]), ["output_tokens"]);
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return;
  for (const index of reading.brokenCalls) {
    reading.error("input-json", `The input of block ${index} is no JSON object.`);
  }
}

function checkStop(reading: MessagesStreamCheckState): void {
  if (reading.phase !== "ending") {
    reading.error("one-delta", "`message_stop` came without `message_delta`.");
  }
  reading.phase = "over";
}

function checkError(reading: MessagesStreamCheckState, error: JsonObject): void {
  if (stringOrEmpty(error["type"]) === "" || typeof error["message"] !== "string") {
    reading.error("error", "An error has a `type` and a `message`.");
  }
  if (reading.phase === "ending") {
    reading.error("error", "An error follows `message_delta`, which told a clean end.");
  }
  reading.phase = "over";
}

function checkCounts(
  reading: MessagesStreamCheckState,
  usage: JsonObject,
  names: readonly string[],
): void {
  for (const name of names) {
    const count = usage[name];
    if (!Number.isInteger(count) || Number(count) < 0) {
      reading.error("usage", `\`usage.${name}\` must be a count.`);
    }
  }
}
