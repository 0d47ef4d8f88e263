import { recordToMap } from "../../platform/lookup-table.ts";
import { objectOrEmpty } from "./fields.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import { isJsonEqual } from "./json-equal.ts";

/** An output item as it was streamed. */
export interface StreamedOutputItem {
  readonly added: JsonObject;
  /** Content or summary parts, each by its index. */
  readonly contents: StreamedPart[];
  readonly summaries: StreamedPart[];
  /** Arguments or free text of a call. */
  readonly call: StreamedPart;
  done: JsonObject | undefined;
}

interface StreamedPart {
  readonly type: unknown;
  text: string;
  annotations: number;
  isTextDone: boolean;
  isDone: boolean;
}

type AddViolation = (rule: string, message: string) => void;

interface Family {
  /** Type of the item that the events belong to. */
  readonly item: string;
  /** Where the words go, and the member of the `done` event that repeats them. */
  readonly place: "contents" | "summaries" | "call";
  readonly whole: string;
}

const families = recordToMap<Family>({
  "response.output_text": { item: "message", place: "contents", whole: "text" },
  "response.refusal": { item: "message", place: "contents", whole: "refusal" },
  "response.reasoning_text": { item: "reasoning", place: "contents", whole: "text" },
  "response.reasoning_summary_text": { item: "reasoning", place: "summaries", whole: "text" },
  "response.function_call_arguments": { item: "function_call", place: "call", whole: "arguments" },
  "response.custom_tool_call_input": { item: "custom_tool_call", place: "call", whole: "input" },
  "response.mcp_call_arguments": { item: "mcp_call", place: "call", whole: "arguments" },
});

const words = [...families.keys()].flatMap((family) => [`${family}.delta`, `${family}.done`]);

/** Events about output items that this checker knows; those of the vendor's own tools it does not. */
export const checkedItemEventTypes: ReadonlySet<string> = new Set([
  "response.output_item.added",
  "response.output_item.done",
  "response.content_part.added",
  "response.content_part.done",
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_part.done",
  "response.output_text.annotation.added",
  "response.mcp_call.in_progress",
  "response.mcp_call.completed",
  "response.mcp_call.failed",
  "response.mcp_list_tools.in_progress",
  "response.mcp_list_tools.completed",
  "response.mcp_list_tools.failed",
  ...words,
]);

/** Checks one of `itemEvents` and takes it into `items`, by output index. */
export function checkResponsesItemEvent(
  items: Map<number, StreamedOutputItem>,
  event: JsonObject,
  fault: AddViolation,
): void {
  const place = event["output_index"];
  if (!Number.isSafeInteger(place) || Number(place) < 0) {
    return fault("output-index", "`output_index` is no index.");
  }
  const item = items.get(Number(place));
  if (event["type"] === "response.output_item.added") return addItem(items, event, fault);
  if (item === undefined) return fault("item-added", `Item ${String(place)} was not announced.`);
  if (item.done !== undefined) return fault("item-order", "The item had ended.");
  if (event["type"] === "response.output_item.done") return endItem(item, event, fault);
  if (event["item_id"] !== item.added["id"]) {
    fault("item-id", "`item_id` is not the id of the item at `output_index`.");
  }
  checkPartEvent(item, event, fault);
}

function addItem(
  items: Map<number, StreamedOutputItem>,
  event: JsonObject,
  fault: AddViolation,
): void {
  const place = Number(event["output_index"]);
  if (items.has(place)) return fault("output-index", "Two items have one `output_index`.");
  if (place !== items.size) fault("output-index", "Items are not numbered from 0 without gaps.");
  const added = objectOrEmpty(event["item"]);
  checkIdentity(added, fault);
  const known = [...items.values()].some((item) => item.added["id"] === added["id"]);
  if (known) fault("item-id", "Two items have one id.");
  const call = newPart(undefined);
  items.set(place, { added, contents: [], summaries: [], call, done: undefined });
}

function newPart(type: unknown): StreamedPart {
  return { type, text: "", annotations: 0, isTextDone: false, isDone: false };
}

function checkIdentity(item: JsonObject, fault: AddViolation): void {
  if (!isFilled(item["id"])) fault("item-id", "The item has no id.");
  if (!isCall(item)) return;
  if (!isFilled(item["call_id"])) fault("call-id", "The call has no `call_id`.");
  if (!isFilled(item["name"])) fault("call-name", "The call has no name.");
  if (item["id"] === item["call_id"]) fault("call-id", "`call_id` is the id of the item.");
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isCall(item: JsonObject): boolean {
  return item["type"] === "function_call" || item["type"] === "custom_tool_call";
}

function isMcpCall(item: JsonObject): boolean {
  return item["type"] === "mcp_call";
}

/** Whether the input of a call stands in the item itself. */
function hasWords(item: JsonObject): boolean {
  return isCall(item) || isMcpCall(item);
}

function checkPartEvent(item: StreamedOutputItem, event: JsonObject, fault: AddViolation): void {
  const type = String(event["type"]);
  if (type === "response.output_text.annotation.added") return addAnnotation(item, event, fault);
  const place = type.includes("summary_part") ? "summaries" : "contents";
  if (type.endsWith("_part.added")) return addPart(item[place], event, place, fault);
  if (type.endsWith("_part.done")) return endPart(item[place], event, place, fault);
  checkWords(item, event, fault);
}

function indexOf(event: JsonObject, place: Family["place"]): unknown {
  return event[place === "summaries" ? "summary_index" : "content_index"];
}

function addPart(
  parts: StreamedPart[],
  event: JsonObject,
  place: Family["place"],
  fault: AddViolation,
): void {
  if (indexOf(event, place) !== parts.length) {
    fault("part-index", "Parts are not numbered from 0 without gaps.");
  }
  parts.push(newPart(objectOrEmpty(event["part"])["type"]));
}

function endPart(
  parts: readonly StreamedPart[],
  event: JsonObject,
  place: Family["place"],
  fault: AddViolation,
): void {
  const part = parts[Number(indexOf(event, place))];
  if (part === undefined) return fault("part-added", "The part was not announced.");
  if (part.isDone) fault("part-order", "The part had ended.");
  if (!part.isTextDone) fault("text-done", "The part ended before its text did.");
  part.isDone = true;
  const whole = objectOrEmpty(event["part"]);
  if (textOf(whole) !== part.text) fault("text-done", "The part is not what its deltas said.");
}

function textOf(part: JsonObject): unknown {
  return part["type"] === "refusal" ? part["refusal"] : part["text"];
}

function addAnnotation(item: StreamedOutputItem, event: JsonObject, fault: AddViolation): void {
  const part = item.contents[Number(event["content_index"])];
  if (part === undefined || part.isDone) return fault("part-added", "There is no such open part.");
  if (event["annotation_index"] !== part.annotations) {
    fault("annotation-index", "Annotations are not numbered from 0 without gaps.");
  }
  part.annotations += 1;
}

function checkWords(item: StreamedOutputItem, event: JsonObject, fault: AddViolation): void {
  const type = String(event["type"]);
  const family = families.get(type.slice(0, type.lastIndexOf(".")));
  if (family === undefined) return;
  if (item.added["type"] !== family.item) {
    return fault("item-type", `\`${type}\` does not belong to \`${String(item.added["type"])}\`.`);
  }
  const part = partOf(item, event, family);
  if (part === undefined) return fault("part-added", "The part was not announced.");
  if (part.isTextDone) fault("part-order", "The text had ended.");
  if (type.startsWith("response.output_text.") && !Array.isArray(event["logprobs"])) {
    fault("logprobs", "`logprobs` is missing.");
  }
  if (type.endsWith(".delta")) part.text += String(event["delta"]);
  else endText(part, event[family.whole], fault);
}

function partOf(
  item: StreamedOutputItem,
  event: JsonObject,
  { place }: Family,
): StreamedPart | undefined {
  return place === "call" ? item.call : item[place][Number(indexOf(event, place))];
}

function endText(part: StreamedPart, whole: unknown, fault: AddViolation): void {
  part.isTextDone = true;
  if (whole !== part.text) fault("text-done", "The whole text is not what its deltas said.");
}

function endItem(item: StreamedOutputItem, event: JsonObject, fault: AddViolation): void {
  const done = objectOrEmpty(event["item"]);
  item.done = done;
  for (const name of ["id", "type", "call_id"]) {
    if (done[name] !== item.added[name]) fault("item-id", `\`${name}\` of the item changed.`);
  }
  if (done["status"] === "in_progress") fault("item-status", "The item is still in progress.");
  const parts = [...item.contents, ...item.summaries];
  if (parts.some(({ isDone }) => !isDone)) fault("part-open", "A part of the item never ended.");
  if (hasWords(done) && !item.call.isTextDone) fault("text-done", "The call's input never ended.");
  if (!isJsonEqual(textsOf(done), streamedTexts(item))) {
    fault("item-done", "The item is not what its events said.");
  }
}

function textsOf(item: JsonObject): unknown {
  if (item["type"] === "function_call" || isMcpCall(item)) return item["arguments"];
  if (item["type"] === "custom_tool_call") return item["input"];
  const texts = [item["content"], item["summary"]].map((parts) =>
    (Array.isArray(parts) ? parts : []).map((part) => textOf(objectOrEmpty(part))),
  );
  return texts.flat();
}

function streamedTexts(item: StreamedOutputItem): unknown {
  if (hasWords(item.added)) return item.call.text;
  return [...item.contents, ...item.summaries].map(({ text }) => text);
}
