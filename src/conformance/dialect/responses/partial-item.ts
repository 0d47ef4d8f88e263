import { recordToMap } from "../../../platform/lookup-table.ts";
import { objectOrEmpty, stringOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { isNonEmptyString } from "../shape.ts";
import { ConformanceStreamError } from "../conformance-dialect.ts";

/** An output item as its events have told it so far. */
export interface AccumulatedOutputItem {
  fields: Record<string, unknown>;
  isDone: boolean;
}

/** Where the words of a family of events go, and the type of item it belongs to. */
interface Family {
  readonly type: string;
  readonly parts?: "content" | "summary";
  readonly member: string;
}

const families = recordToMap<Family>({
  "response.output_text": { type: "message", parts: "content", member: "text" },
  "response.refusal": { type: "message", parts: "content", member: "refusal" },
  "response.reasoning_text": { type: "reasoning", parts: "content", member: "text" },
  "response.reasoning_summary_text": { type: "reasoning", parts: "summary", member: "text" },
  "response.function_call_arguments": { type: "function_call", member: "arguments" },
  "response.custom_tool_call_input": { type: "custom_tool_call", member: "input" },
});

/** Begins an item. Throws `Unreadable` for one without an identity. */
export function startAccumulatedOutputItem(item: JsonObject): AccumulatedOutputItem {
  const isCall = item["type"] === "function_call" || item["type"] === "custom_tool_call";
  if (!isCall && !isNonEmptyString(item["id"]))
    throw new ConformanceStreamError("An item has no `id`.");
  if (isCall && !isNonEmptyString(item["call_id"]))
    throw new ConformanceStreamError("A call has no `call_id`.");
  return { fields: { ...item }, isDone: false };
}

/** Takes the whole item, which must be the one that was announced. */
export function completeAccumulatedOutputItem(item: AccumulatedOutputItem, done: JsonObject): void {
  for (const name of ["id", "type", "call_id"]) {
    if (done[name] !== item.fields[name])
      throw new ConformanceStreamError(`\`${name}\` of an item changes.`);
  }
  item.fields = { ...done };
  item.isDone = true;
}

/** Takes an event about a part, or about the words, of an item. */
export function applyOutputItemEvent(
  item: AccumulatedOutputItem,
  type: string,
  event: JsonObject,
): void {
  if (event["item_id"] !== item.fields["id"]) {
    throw new ConformanceStreamError("`item_id` is not the id of the item at `output_index`.");
  }
  if (type.endsWith("_part.added")) return addPart(item, type, event);
  const dot = type.lastIndexOf(".");
  const family = families.get(type.slice(0, dot));
  if (family === undefined) return;
  if (item.fields["type"] !== family.type) {
    throw new ConformanceStreamError(
      `\`${type}\` does not belong to \`${String(item.fields["type"])}\`.`,
    );
  }
  const holder = holderOf(item, family, event);
  if (type.endsWith(".done")) holder[family.member] = event[family.member];
  else holder[family.member] = stringOrEmpty(holder[family.member]) + stringOrEmpty(event["delta"]);
}

function partsOf(
  { fields }: AccumulatedOutputItem,
  place: "content" | "summary",
): Record<string, unknown>[] {
  const parts = Array.isArray(fields[place]) ? fields[place] : [];
  fields[place] = parts;
  return parts as Record<string, unknown>[];
}

function addPart(item: AccumulatedOutputItem, type: string, event: JsonObject): void {
  const place = type.includes("summary") ? "summary" : "content";
  const parts = partsOf(item, place);
  if (event[`${place}_index`] !== parts.length) {
    throw new ConformanceStreamError("Parts are not numbered from 0 without gaps.");
  }
  parts.push({ ...objectOrEmpty(event["part"]) });
}

function holderOf(
  item: AccumulatedOutputItem,
  { parts }: Family,
  event: JsonObject,
): Record<string, unknown> {
  if (parts === undefined) return item.fields;
  const part = partsOf(item, parts)[Number(event[`${parts}_index`])];
  if (part === undefined)
    throw new ConformanceStreamError("Words belong to a part that was not announced.");
  return part;
}

/** The item as it stands. */
export function accumulatedOutputItemToJson({ fields }: AccumulatedOutputItem): JsonObject {
  return fields;
}
