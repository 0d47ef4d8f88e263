import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../json.ts";
import { serializeResponsesFrame } from "./stream-frames.ts";
import {
  buildResponsesTextEventLogprobs,
  streamedTextFieldByItemType,
  responsesPartListDescriptors,
  streamedTextsByPartType,
  type ResponsesPartListDescriptor,
  type ResponsesStreamedTextEventNames,
} from "./streamed-texts.ts";

/**
 * Writes the frames of a stream that would have told a response which has ended, each text in
 * one piece: the same at every call, numbered from 0. Each is written when it is asked for,
 * because several repeat the whole response. Those up to the number `after` are left out.
 */
export function* serializeResponsesFinishedResponseFrames(
  response: JsonObject,
  after = -1,
): Iterable<string> {
  let number = 0;
  for (const [type, fields] of eventsOf(response)) {
    if (number > after) yield serializeResponsesFrame({ next: number }, type, fields);
    number += 1;
  }
}

type NamedEvent = readonly [type: string, fields: JsonObject];

function* eventsOf(response: JsonObject): Iterable<NamedEvent> {
  const begun = { ...response, status: "in_progress", completed_at: null, output: [], usage: null };
  yield ["response.created", { response: begun }];
  yield ["response.in_progress", { response: begun }];
  for (const [index, item] of asArrayOrEmpty(response["output"]).entries())
    yield* itemEvents(asObject(item) ?? {}, index);
  yield [`response.${lastEvent(response)}`, { response }];
}

function lastEvent({ status }: JsonObject): string {
  return status === "failed" || status === "completed" ? status : "incomplete";
}

function* itemEvents(item: JsonObject, output_index: number): Iterable<NamedEvent> {
  const place = { item_id: item["id"], output_index };
  const text = streamedTextFieldByItemType.get(asString(item["type"]) ?? "");
  const empty = responsesPartListDescriptors
    .filter(({ list }) => Array.isArray(item[list]))
    .map(({ list }) => [list, []] as const);
  const begun = {
    ...item,
    ...("status" in item && { status: "in_progress" }),
    ...Object.fromEntries(empty),
    ...(text !== undefined && { [text.member]: "" }),
  };
  yield ["response.output_item.added", { output_index, item: begun }];
  for (const kind of responsesPartListDescriptors) yield* partEvents(item, place, kind);
  if (text !== undefined) yield* textEvents(text, place, item);
  yield ["response.output_item.done", { output_index, item }];
}

function* partEvents(
  item: JsonObject,
  place: JsonObject,
  { list, index, event }: ResponsesPartListDescriptor,
): Iterable<NamedEvent> {
  for (const [at, value] of asArrayOrEmpty(item[list]).entries()) {
    const part = asObject(value) ?? {};
    const here = { ...place, [index]: at };
    const text = streamedTextsByPartType.get(asString(part["type"]) ?? "");
    const begun = text === undefined ? part : { ...part, [text.member]: "" };
    yield [`${event}.added`, { ...here, part: begun }];
    if (text !== undefined) yield* textEvents(text, here, part);
    yield [`${event}.done`, { ...here, part }];
  }
}

function* textEvents(
  form: ResponsesStreamedTextEventNames,
  place: JsonObject,
  holder: JsonObject,
): Iterable<NamedEvent> {
  const text = holder[form.member];
  const beside = buildResponsesTextEventLogprobs(form, holder["logprobs"]);
  yield [`${form.event}.delta`, { ...place, delta: text, ...beside }];
  yield [`${form.event}.done`, { ...place, [form.member]: text, ...beside }];
}
