import type { StreamEvent } from "../../platform/sse/stream-event.ts";
import { fieldsOf, parseFields, textField } from "./fields.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import type { GrammarFault } from "./grammar-fault.ts";
import { checkBlockDelta, checkBlockStart, checkBlockStop } from "./messages-blocks.ts";
import type { MessagesReading } from "./messages-reading.ts";

/**
 * Where a stream breaks the grammar of the messages dialect: events named like
 * their `type`, one `message_start`, content blocks strictly one after the other,
 * one `message_delta` with reason and usage, `message_stop`. An `error` event may
 * end it anywhere. Event types that are not known are let pass, as clients do.
 */
export function checkMessagesStream(events: readonly StreamEvent[]): readonly GrammarFault[] {
  const faults: GrammarFault[] = [];
  const reading: MessagesReading = {
    phase: "before",
    nextIndex: 0,
    open: undefined,
    brokenCalls: [],
    fault: (rule, message) => faults.push({ rule, event: reading.event, message }),
    event: 0,
  };
  for (const event of events) {
    checkEvent(reading, event);
    reading.event += 1;
  }
  if (reading.phase !== "over") {
    reading.fault("end", "The stream ended without `message_stop` or an error.");
  }
  return faults;
}

function checkEvent(reading: MessagesReading, event: StreamEvent): void {
  const data = parseFields(event.data);
  if (data === undefined) return reading.fault("json", "The data is no JSON object.");
  const { type } = data;
  if (type !== event.name) {
    reading.fault(
      "name",
      `The event is named \`${event.name ?? ""}\`, its type is \`${textField(type)}\`.`,
    );
  }
  if (reading.phase === "over") return reading.fault("after-end", "An event follows the end.");
  if (reading.phase === "before" && type !== "message_start" && type !== "error") {
    reading.fault("first", "The first event must be `message_start`.");
    reading.phase = "open";
  }
  checkType(reading, data);
}

function checkType(reading: MessagesReading, data: JsonObject): void {
  switch (data["type"]) {
    case "message_start":
      return checkStart(reading, fieldsOf(data["message"]));
    case "content_block_start":
      return checkBlockStart(reading, data);
    case "content_block_delta":
      return checkBlockDelta(reading, data);
    case "content_block_stop":
      return checkBlockStop(reading, data);
    case "message_delta":
      return checkDelta(reading, data);
    case "message_stop":
      return checkStop(reading);
    case "error":
      return checkError(reading, fieldsOf(data["error"]));
    default:
  }
}

function checkStart(reading: MessagesReading, message: JsonObject): void {
  if (reading.phase !== "before") return reading.fault("one-start", "`message_start` came twice.");
  reading.phase = "open";
  for (const name of ["id", "model"]) {
    if (textField(message[name]) === "")
      reading.fault("message", `\`message.${name}\` is missing.`);
  }
  if (message["type"] !== "message" || message["role"] !== "assistant") {
    reading.fault("message", "The message must be of type `message` and role `assistant`.");
  }
  if (!Array.isArray(message["content"]) || message["content"].length > 0) {
    reading.fault("message", "`message.content` must be an empty array at the start.");
  }
  if (message["stop_reason"] !== null || message["stop_sequence"] !== null) {
    reading.fault("message", "`stop_reason` and `stop_sequence` must be null at the start.");
  }
  checkCounts(reading, fieldsOf(message["usage"]), ["input_tokens", "output_tokens"]);
}

function checkDelta(reading: MessagesReading, data: JsonObject): void {
  if (reading.open !== undefined)
    reading.fault("block-open", "A block is open at `message_delta`.");
  if (reading.phase === "ending") {
    return reading.fault("one-delta", "`message_delta` came twice: the second erases the reason.");
  }
  reading.phase = "ending";
  const reason = fieldsOf(data["delta"])["stop_reason"];
  if (textField(reason) === "") reading.fault("stop-reason", "`delta.stop_reason` is missing.");
  checkCounts(reading, fieldsOf(data["usage"]), ["output_tokens"]);
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return;
  for (const index of reading.brokenCalls) {
    reading.fault("input-json", `The input of block ${index} is no JSON object.`);
  }
}

function checkStop(reading: MessagesReading): void {
  if (reading.phase !== "ending") {
    reading.fault("one-delta", "`message_stop` came without `message_delta`.");
  }
  reading.phase = "over";
}

function checkError(reading: MessagesReading, error: JsonObject): void {
  if (textField(error["type"]) === "" || typeof error["message"] !== "string") {
    reading.fault("error", "An error has a `type` and a `message`.");
  }
  if (reading.phase === "ending") {
    reading.fault("error", "An error follows `message_delta`, which told a clean end.");
  }
  reading.phase = "over";
}

function checkCounts(reading: MessagesReading, usage: JsonObject, names: readonly string[]): void {
  for (const name of names) {
    const count = usage[name];
    if (!Number.isInteger(count) || Number(count) < 0) {
      reading.fault("usage", `\`usage.${name}\` must be a count.`);
    }
  }
}
