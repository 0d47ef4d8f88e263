import { recordToMap } from "../../platform/lookup-table.ts";
import type { SseEvent } from "../../platform/sse/stream-event.ts";
import { objectOrEmpty, tryParseJsonObject } from "./fields.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import type { DialectStreamViolation } from "./grammar-violation.ts";
import {
  checkResponsesItemEvent,
  checkedItemEventTypes,
  type StreamedOutputItem,
} from "./responses-items.ts";
import { isJsonEqual } from "./json-equal.ts";

/** A responses stream as far as it was checked. */
interface Checking {
  readonly faults: DialectStreamViolation[];
  /** Number of the event that is being checked. */
  event: number;
  sequence: number;
  responseId: unknown;
  hasCreated: boolean;
  /** The terminal event that came. */
  terminal: string | undefined;
  hasError: boolean;
  readonly items: Map<number, StreamedOutputItem>;
}

/**
 * Checks a whole responses stream against the grammar that its clients rely on:
 * the official one throws on most breaches, clients in strict languages on the
 * rest. An empty list: nothing is wrong.
 */
export function checkResponsesStream(
  events: readonly SseEvent[],
): readonly DialectStreamViolation[] {
  const checking: Checking = {
    faults: [],
    event: 0,
    sequence: -1,
    responseId: undefined,
    hasCreated: false,
    terminal: undefined,
    hasError: false,
    items: new Map(),
  };
  for (const [index, event] of events.entries()) {
    checking.event = index;
    checkEvent(checking, event);
  }
  checking.event = events.length;
  if (checking.terminal === undefined && !checking.hasError) {
    addViolation(checking, "terminal", "The stream ends without a terminal event.");
  }
  return checking.faults;
}

function addViolation(checking: Checking, rule: string, message: string): void {
  checking.faults.push({ rule, event: checking.event, message });
}

function checkEvent(checking: Checking, event: SseEvent): void {
  if (event.data.trim() === "[DONE]") return;
  const data = tryParseJsonObject(event.data);
  if (data === undefined) return addViolation(checking, "json", "The data are not a JSON object.");
  const type = typeof data["type"] === "string" ? data["type"] : "";
  if (event.name !== type) {
    addViolation(
      checking,
      "event-name",
      `The event is named \`${event.name}\` and typed \`${type}\`.`,
    );
  }
  checkSequence(checking, data);
  checkPlace(checking, type);
  checkByType(checking, type, data);
}

function checkSequence(checking: Checking, { sequence_number: number }: JsonObject): void {
  const expected = checking.sequence + 1;
  if (number !== expected) {
    addViolation(
      checking,
      "sequence",
      `\`sequence_number\` is ${String(number)}, not ${expected}.`,
    );
  }
  checking.sequence = typeof number === "number" ? number : expected;
}

/** What may come now: created first, nothing behind the end but one error behind a failure. */
function checkPlace(checking: Checking, type: string): void {
  const { hasCreated, terminal, hasError } = checking;
  if (!hasCreated && type !== "response.created" && type !== "error") {
    addViolation(checking, "created-first", `\`${type}\` came before \`response.created\`.`);
  }
  const isLastError = type === "error" && terminal === "response.failed" && !hasError;
  if ((terminal !== undefined || hasError) && !isLastError) {
    addViolation(checking, "after-end", `\`${type}\` came after the end of the stream.`);
  }
}

/** A response in the background is created `queued`; one that is cancelled ends as an incomplete one does. */
const statusesOf = recordToMap<readonly string[]>({
  "response.created": ["in_progress", "queued"],
  "response.queued": ["queued"],
  "response.in_progress": ["in_progress"],
  "response.completed": ["completed"],
  "response.incomplete": ["incomplete", "cancelled"],
  "response.failed": ["failed"],
});

const terminals: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

function checkByType(checking: Checking, type: string, data: JsonObject): void {
  if (type === "keepalive") return;
  if (type === "error") return checkError(checking, data);
  if (statusesOf.has(type)) return checkLifecycle(checking, type, data);
  if (!checkedItemEventTypes.has(type))
    return addViolation(checking, "known-event", `\`${type}\` is not known.`);
  checkResponsesItemEvent(checking.items, data, (rule, message) =>
    addViolation(checking, rule, message),
  );
}

/** The flat form; the official client takes a nested `error`, too. */
function checkError(checking: Checking, data: JsonObject): void {
  checking.hasError = true;
  const error = { ...data, ...objectOrEmpty(data["error"]) };
  const isWhole = typeof error.message === "string" && "code" in error && "param" in error;
  if (!isWhole) addViolation(checking, "error", "An error needs `message`, `code` and `param`.");
}

function checkLifecycle(checking: Checking, type: string, data: JsonObject): void {
  const response = objectOrEmpty(data["response"]);
  checkResponse(checking, type, response);
  if (type === "response.created") {
    if (checking.hasCreated)
      addViolation(checking, "created-once", "`response.created` came twice.");
    checking.hasCreated = true;
    checking.responseId = response["id"];
  }
  if (response["id"] !== checking.responseId) {
    addViolation(checking, "response-id", "The id of the response changed.");
  }
  if (terminals.has(type)) checkTerminal(checking, type, response);
}

/** Members without which the official types, or clients in strict languages, refuse a response. */
export const requiredResponseObjectMembers: readonly string[] = [
  "id",
  "object",
  "created_at",
  "status",
  "error",
  "incomplete_details",
  "instructions",
  "metadata",
  "model",
  "output",
  "parallel_tool_calls",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_p",
];

function checkResponse(checking: Checking, type: string, response: JsonObject): void {
  const lacking = requiredResponseObjectMembers.filter((name) => !(name in response));
  if (lacking.length > 0) {
    addViolation(checking, "response-fields", `The response lacks \`${lacking.join("`, `")}\`.`);
  }
  if (typeof response["id"] !== "string" || response["id"] === "") {
    addViolation(checking, "response-id", "The response has no id.");
  }
  if (response["object"] !== "response") {
    addViolation(checking, "response-fields", "`object` is not `response`.");
  }
  const status = String(response["status"]);
  if (statusesOf.get(type)?.includes(status) !== true) {
    addViolation(checking, "status", `\`status\` of \`${type}\` is \`${status}\`.`);
  }
}

function checkTerminal(checking: Checking, type: string, response: JsonObject): void {
  checking.terminal = type;
  for (const [place, item] of checking.items) {
    if (item.done === undefined) addViolation(checking, "item-open", `Item ${place} never ended.`);
  }
  checkOutput(checking, response);
  if (type !== "response.failed") checkUsage(checking, response);
  const { reason } = objectOrEmpty(response["incomplete_details"]);
  if (type === "response.incomplete" && typeof reason !== "string") {
    addViolation(checking, "incomplete-reason", "An incomplete response needs a reason.");
  }
  const { code, message } = objectOrEmpty(response["error"]);
  const isTold = typeof code === "string" && typeof message === "string";
  if (type === "response.failed" && !isTold) {
    addViolation(
      checking,
      "failed-error",
      "A failed response needs an error with `code` and `message`.",
    );
  }
}

/** The last output replaces everything: it must be what was streamed. */
function checkOutput(checking: Checking, response: JsonObject): void {
  const streamed = [...checking.items.entries()]
    .toSorted(([left], [right]) => left - right)
    .map(([, item]) => item.done);
  if (!isJsonEqual(response["output"], streamed)) {
    addViolation(checking, "output", "The output of the last event is not what was streamed.");
  }
}

function checkUsage(checking: Checking, response: JsonObject): void {
  if (response["usage"] === null) return;
  const usage = objectOrEmpty(response["usage"]);
  const counts = [
    usage["input_tokens"],
    usage["output_tokens"],
    usage["total_tokens"],
    objectOrEmpty(usage["input_tokens_details"])["cached_tokens"],
    objectOrEmpty(usage["output_tokens_details"])["reasoning_tokens"],
  ];
  if (!counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0)) {
    addViolation(checking, "usage", "The usage lacks a count.");
  }
}
