import type { BufferedValueCounter } from "../codec.ts";
import { asArrayOrEmpty, asNumber, asObject, asString, type JsonObject } from "../json.ts";
import type { NeutralPartDelta, NeutralPartHead, NeutralEvent } from "../neutral-event.ts";
import {
  readResponsesToolCallArguments,
  decodeResponsesToolCallHead,
  decodeResponsesAnnotation,
  decodeResponsesOutputContent,
  missingToolCallNameError,
  readResponsesReasoningTexts,
  readResponsesEncryptedReasoning,
} from "./output-parts.ts";

/** A stream being read. */
export interface ResponsesDecoderState {
  hasBegun: boolean;
  hasEnded: boolean;
  /** Parts started so far. */
  parts: number;
  /** By `output_index`. */
  readonly items: Map<number, IncomingItem>;
  /** `output_index` by the id of an item or of its call; undefined: several items had the id. */
  readonly placesById: Map<string, number | undefined>;
  /** A whole answer has none. */
  readonly countKept: BufferedValueCounter | undefined;
  hasCalls: boolean;
  hasRefusal: boolean;
}

/** An output item as far as it has come. */
interface IncomingItem {
  /** Texts and refusals of a message by `content_index`. */
  readonly contents: Map<number, ResponsesIncomingPartProgress>;
  /** The call or reasoning that the item is. */
  part: ResponsesIncomingPartProgress | undefined;
  isDone: boolean;
}

/** A part of the turn as far as it has come. */
export interface ResponsesIncomingPartProgress {
  readonly index: number;
  isOpen: boolean;
  /** Words have come, so that the whole text at the end is a repetition. */
  hasWords: boolean;
  hasCitations: boolean;
}

/** `output_index`; a stream without it has one item. */
export function readResponsesOutputIndex(event: JsonObject): number {
  return asNumber(event["output_index"]) ?? 0;
}

function itemAt(state: ResponsesDecoderState, place: number): IncomingItem {
  const known = state.items.get(place);
  if (known !== undefined) return known;
  const item = { contents: new Map(), part: undefined, isDone: false };
  state.items.set(place, item);
  state.countKept?.(place);
  return item;
}

/** Records the place of an id. Only the last event needs it: ids may change on the way. */
function recordId(state: ResponsesDecoderState, place: number, id: unknown): void {
  if (typeof id !== "string" || id === "") return;
  const { placesById } = state;
  if (!placesById.has(id)) {
    placesById.set(id, place);
    state.countKept?.(id);
  } else if (placesById.get(id) !== place) placesById.set(id, undefined);
}

function recordItem(state: ResponsesDecoderState, place: number, item: JsonObject): void {
  recordId(state, place, item["id"]);
  recordId(state, place, item["call_id"]);
}

/** A call without a name waits for the event that has it. */
export function decodeResponsesOutputItemAdded(
  state: ResponsesDecoderState,
  event: JsonObject,
): readonly NeutralEvent[] {
  const place = readResponsesOutputIndex(event);
  const item = asObject(event["item"]) ?? {};
  recordItem(state, place, item);
  return startItem(state, itemAt(state, place), item);
}

function startItem(
  state: ResponsesDecoderState,
  arriving: IncomingItem,
  item: JsonObject,
): readonly NeutralEvent[] {
  if (arriving.part !== undefined) return [];
  const head = headOf(item);
  if (head === undefined) return [];
  const { part, events } = startPart(state, head);
  arriving.part = part;
  return events;
}

function headOf(item: JsonObject): NeutralPartHead | undefined {
  if (item["type"] === "reasoning") return { type: "reasoning" };
  return isCall(item) ? decodeResponsesToolCallHead(item) : undefined;
}

function isCall(item: JsonObject): boolean {
  const type = item["type"];
  return type === "function_call" || type === "custom_tool_call";
}

interface Started {
  readonly part: ResponsesIncomingPartProgress;
  readonly events: readonly NeutralEvent[];
}

function startPart(state: ResponsesDecoderState, head: NeutralPartHead): Started {
  const part = { index: state.parts++, isOpen: true, hasWords: false, hasCitations: false };
  if (head.type === "tool-call") state.hasCalls = true;
  if (head.type === "refusal") state.hasRefusal = true;
  return { part, events: [{ type: "part-start", index: part.index, part: head }] };
}

/** The call or reasoning at the event's place, if it has begun and not ended. */
export function findResponsesOpenCallOrReasoning(
  state: ResponsesDecoderState,
  event: JsonObject,
): ResponsesIncomingPartProgress | undefined {
  const part = state.items.get(readResponsesOutputIndex(event))?.part;
  return part?.isOpen === true ? part : undefined;
}

/** The text or refusal at the event's place, begun if it was not announced. */
export function ensureIncomingContentPart(
  state: ResponsesDecoderState,
  event: JsonObject,
  type: string,
): Started {
  const place = readResponsesOutputIndex(event);
  const content = contentAt(state, place, asNumber(event["content_index"]) ?? 0, type);
  if (content.events.length > 0) recordId(state, place, event["item_id"]);
  return content;
}

function contentAt(
  state: ResponsesDecoderState,
  place: number,
  index: number,
  type: string,
): Started {
  const item = itemAt(state, place);
  const known = item.contents.get(index);
  if (known !== undefined) return { part: known, events: [] };
  const started = startPart(state, { type: type === "refusal" ? "refusal" : "text" });
  item.contents.set(index, started.part);
  return started;
}

/** Texts of reasoning are parts of the item, not of a message. */
export function decodeResponsesContentPartAdded(
  state: ResponsesDecoderState,
  event: JsonObject,
): readonly NeutralEvent[] {
  const type = asString(asObject(event["part"])?.["type"]) ?? "output_text";
  if (type === "reasoning_text") return decodeResponsesReasoningPartAdded(state, event);
  return isContent(type) ? ensureIncomingContentPart(state, event, type).events : [];
}

function isContent(type: string): boolean {
  return type === "output_text" || type === "refusal";
}

/** A further readable part of the reasoning; the first needs no mark. */
export function decodeResponsesReasoningPartAdded(
  state: ResponsesDecoderState,
  event: JsonObject,
): readonly NeutralEvent[] {
  const part = findResponsesOpenCallOrReasoning(state, event);
  return part?.hasWords === true ? [emitDelta(part, { type: "next-summary" })] : [];
}

/** The delta, as an event; nothing for an empty one or a part that has ended. */
export function appendResponsesOpenPartDelta(
  part: ResponsesIncomingPartProgress,
  delta: NeutralPartDelta,
): readonly NeutralEvent[] {
  if (!part.isOpen || ("text" in delta && delta.text === "")) return [];
  if (delta.type === "citation") part.hasCitations = true;
  if ("text" in delta) part.hasWords = true;
  return [emitDelta(part, delta)];
}

function emitDelta(
  { index }: ResponsesIncomingPartProgress,
  delta: NeutralPartDelta,
): NeutralEvent {
  return { type: "part-delta", index, delta };
}

function close(part: ResponsesIncomingPartProgress): readonly NeutralEvent[] {
  if (!part.isOpen) return [];
  part.isOpen = false;
  return [{ type: "part-end", index: part.index }];
}

/** `content_part.done`: what of the part did not come in deltas, and its end. */
export function decodeResponsesContentPartDone(
  state: ResponsesDecoderState,
  event: JsonObject,
): readonly NeutralEvent[] {
  const value = asObject(event["part"]) ?? {};
  if (!isContent(asString(value["type"]) ?? "")) return [];
  const index = asNumber(event["content_index"]) ?? 0;
  return wholeContent(state, readResponsesOutputIndex(event), index, value);
}

function wholeContent(
  state: ResponsesDecoderState,
  place: number,
  index: number,
  value: JsonObject,
): readonly NeutralEvent[] {
  const { part, events } = contentAt(state, place, index, asString(value["type"]) ?? "");
  const [whole] = decodeResponsesOutputContent(value);
  const text = whole !== undefined && "text" in whole ? whole.text : "";
  const words = part.hasWords
    ? []
    : appendResponsesOpenPartDelta(part, { type: "text", text, ...logprobsOf(value) });
  const sources = part.hasCitations
    ? []
    : asArrayOrEmpty(value["annotations"]).flatMap(decodeResponsesAnnotation);
  const cited = sources.flatMap((citation) =>
    appendResponsesOpenPartDelta(part, { type: "citation", citation }),
  );
  return [...events, ...words, ...cited, ...close(part)];
}

function logprobsOf(value: JsonObject): { readonly logprobs?: readonly unknown[] } {
  const logprobs = asArrayOrEmpty(value["logprobs"]);
  return logprobs.length === 0 ? {} : { logprobs };
}

/** `output_item.done`: what did not come before, and its end. */
export function decodeResponsesOutputItemDone(
  state: ResponsesDecoderState,
  event: JsonObject,
): readonly NeutralEvent[] {
  const place = readResponsesOutputIndex(event);
  const item = asObject(event["item"]) ?? {};
  recordItem(state, place, item);
  return finishItemAt(state, place, item);
}

/**
 * The items of the last event. Their places are those of the stream only if it leaves none out, so
 * an item is first looked up by its ids.
 */
export function finishOutputItems(
  state: ResponsesDecoderState,
  output: readonly unknown[],
): readonly NeutralEvent[] {
  const items = output.map((item) => asObject(item) ?? {});
  const known = items.map((item) => findPlace(state, item));
  const taken = new Set(known);
  return items.flatMap((item, place) => [
    ...finishItemAt(state, known[place] ?? (taken.has(place) ? unusedPlace(place) : place), item),
  ]);
}

function findPlace({ placesById }: ResponsesDecoderState, item: JsonObject): number | undefined {
  const [call, id] = [asString(item["call_id"]), asString(item["id"])];
  const place = call === undefined ? undefined : placesById.get(call);
  return place ?? (id === undefined ? undefined : placesById.get(id));
}

/** A place for an item that came in no event before, while another item has its place. */
function unusedPlace(place: number): number {
  return -1 - place;
}

function finishItemAt(
  state: ResponsesDecoderState,
  place: number,
  item: JsonObject,
): readonly NeutralEvent[] {
  const arriving = itemAt(state, place);
  if (arriving.isDone) return [];
  arriving.isDone = true;
  if (asString(item["type"]) === "message") return finishMessage(state, place, item);
  const events = startItem(state, arriving, item);
  const { part } = arriving;
  if (part === undefined && isCall(item)) throw missingToolCallNameError();
  return part === undefined ? events : [...events, ...missingWords(part, item), ...close(part)];
}

function finishMessage(
  state: ResponsesDecoderState,
  place: number,
  item: JsonObject,
): readonly NeutralEvent[] {
  return asArrayOrEmpty(item["content"]).flatMap((value, index) => {
    const content = asObject(value) ?? {};
    if (!isContent(asString(content["type"]) ?? "")) return [];
    return [...wholeContent(state, place, index, content)];
  });
}

function missingWords(
  part: ResponsesIncomingPartProgress,
  item: JsonObject,
): readonly NeutralEvent[] {
  if (item["type"] !== "reasoning") {
    const text = readResponsesToolCallArguments(item);
    return part.hasWords ? [] : appendResponsesOpenPartDelta(part, { type: "arguments", text });
  }
  const texts = part.hasWords ? [] : readResponsesReasoningTexts(item);
  const seal = readResponsesEncryptedReasoning(item);
  const words = texts.flatMap((text, place) => [
    ...(place === 0 ? [] : [emitDelta(part, { type: "next-summary" })]),
    ...appendResponsesOpenPartDelta(part, { type: "text", text }),
  ]);
  return seal === undefined
    ? words
    : [...words, ...appendResponsesOpenPartDelta(part, { type: "encrypted-reasoning", seal })];
}

/** Ends the parts that nobody ended. */
export function closeOpenParts(state: ResponsesDecoderState): readonly NeutralEvent[] {
  return [...state.items.values()].flatMap(({ contents, part }) =>
    [...contents.values(), ...(part === undefined ? [] : [part])].flatMap(close),
  );
}
