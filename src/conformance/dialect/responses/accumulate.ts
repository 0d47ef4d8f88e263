import type { SseEvent } from "../../../platform/sse/stream-event.ts";
import { checkedItemEventTypes } from "../../grammar/responses-items.ts";
import { objectOrEmpty, tryParseJsonObject } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { ConformanceStreamError } from "../conformance-dialect.ts";
import {
  startAccumulatedOutputItem,
  completeAccumulatedOutputItem,
  type AccumulatedOutputItem,
  applyOutputItemEvent,
  accumulatedOutputItemToJson,
} from "./partial-item.ts";

interface Growing {
  response: JsonObject | undefined;
  isOver: boolean;
  readonly items: Map<number, AccumulatedOutputItem>;
}

const lifecycle = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

const terminals = new Set(["response.completed", "response.incomplete", "response.failed"]);

/**
 * The response that the events of a stream add up to. A stream without a last
 * event is unreadable: the official client resolves with a response that is
 * still in progress, which no program can tell from an answer.
 */
export function accumulateResponsesStream(events: readonly SseEvent[]): JsonObject {
  const growing: Growing = { response: undefined, isOver: false, items: new Map() };
  for (const { data } of events) {
    if (data.startsWith("[DONE]")) break;
    const event = tryParseJsonObject(data);
    if (event === undefined) throw new ConformanceStreamError("An event holds no JSON object.");
    step(growing, event);
  }
  if (growing.response === undefined)
    throw new ConformanceStreamError("No event begins a response.");
  if (!growing.isOver)
    throw new ConformanceStreamError("The stream ends without a terminal event.");
  return growing.response;
}

function step(growing: Growing, event: JsonObject): void {
  const type = String(event["type"]);
  if (type === "error")
    throw new ConformanceStreamError(`The stream tells an error: ${JSON.stringify(event)}`);
  if (type === "keepalive") return;
  if (growing.response === undefined && type !== "response.created") {
    throw new ConformanceStreamError(`\`${type}\` comes before \`response.created\`.`);
  }
  if (lifecycle.has(type)) takeResponse(growing, type, objectOrEmpty(event["response"]));
  else if (checkedItemEventTypes.has(type)) takeItem(growing.items, type, event);
  else if (!/^response\.[a-z_]+_call[._]/.test(type) && !type.startsWith("response.audio.")) {
    throw new ConformanceStreamError(`The client does not know the event \`${type}\`.`);
  }
}

function takeResponse(growing: Growing, type: string, response: JsonObject): void {
  if (growing.response !== undefined && growing.response["id"] !== response["id"]) {
    throw new ConformanceStreamError("The id of the response changes.");
  }
  growing.response = response;
  if (!terminals.has(type)) return;
  growing.isOver = true;
  const items = [...growing.items].toSorted(([left], [right]) => left - right);
  if (type === "response.completed") checkComplete(items, response);
  if (!Array.isArray(response["output"])) {
    growing.response = {
      ...response,
      output: items.map(([, item]) => accumulatedOutputItemToJson(item)),
    };
  }
}

/** An item that never ended must stand in the last output. */
function checkComplete(
  items: readonly (readonly [number, AccumulatedOutputItem])[],
  { output }: JsonObject,
): void {
  const ids = new Set(
    (Array.isArray(output) ? output : []).map((item) => objectOrEmpty(item)["id"]),
  );
  for (const [index, item] of items) {
    if (!item.isDone && !ids.has(item.fields["id"])) {
      throw new ConformanceStreamError(`Item ${index} never ends.`);
    }
  }
}

function takeItem(
  items: Map<number, AccumulatedOutputItem>,
  type: string,
  event: JsonObject,
): void {
  const index = event["output_index"];
  if (!Number.isSafeInteger(index)) throw new ConformanceStreamError("`output_index` is no index.");
  const known = items.get(Number(index));
  if (type === "response.output_item.added") {
    if (known !== undefined)
      throw new ConformanceStreamError(`Two items have the index ${String(index)}.`);
    items.set(Number(index), startAccumulatedOutputItem(objectOrEmpty(event["item"])));
  } else if (known === undefined) {
    throw new ConformanceStreamError(
      `\`${type}\` belongs to no item: ${String(index)} was not announced.`,
    );
  } else if (type === "response.output_item.done")
    completeAccumulatedOutputItem(known, objectOrEmpty(event["item"]));
  else applyOutputItemEvent(known, type, event);
}
