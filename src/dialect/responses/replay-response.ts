import { asElements, asObject, asString, type JsonObject } from "../json.ts";
import { serializeFrame, type SequenceCounter } from "./stream-frames.ts";
import {
  buildTextEventLogprobs,
  streamedTextsByItemType,
  partListFields,
  streamedTextsByPartType,
  type PartListField,
  type StreamedTextField,
} from "./streamed-texts.ts";

/**
 * The frames of a stream that would have told a response which has ended, each text in
 * one piece: the same at every call, numbered from 0.
 */
export function buildFinishedResponseFrames(response: JsonObject): readonly string[] {
  const counter: SequenceCounter = { next: 0 };
  const print = (type: string, fields: JsonObject): string => serializeFrame(counter, type, fields);
  const begun = { ...response, status: "in_progress", completed_at: null, output: [], usage: null };
  const items = asElements(response["output"]).map((item) => asObject(item) ?? {});
  return [
    print("response.created", { response: begun }),
    print("response.in_progress", { response: begun }),
    ...items.flatMap((item, index) => itemFrames(print, item, index)),
    print(`response.${lastEvent(response)}`, { response }),
  ];
}

type Print = (type: string, fields: JsonObject) => string;

function lastEvent({ status }: JsonObject): string {
  return status === "failed" || status === "completed" ? status : "incomplete";
}

function itemFrames(print: Print, item: JsonObject, output_index: number): readonly string[] {
  const place = { item_id: item["id"], output_index };
  const text = streamedTextsByItemType.get(asString(item["type"]) ?? "");
  const empty = partListFields
    .filter(({ list }) => Array.isArray(item[list]))
    .map(({ list }) => [list, []] as const);
  const begun = {
    ...item,
    ...("status" in item && { status: "in_progress" }),
    ...Object.fromEntries(empty),
    ...(text !== undefined && { [text.member]: "" }),
  };
  return [
    print("response.output_item.added", { output_index, item: begun }),
    ...partListFields.flatMap((kind) => partFrames(print, item, place, kind)),
    ...(text === undefined ? [] : textFrames(print, text, place, item)),
    print("response.output_item.done", { output_index, item }),
  ];
}

function partFrames(
  print: Print,
  item: JsonObject,
  place: JsonObject,
  { list, index, event }: PartListField,
): readonly string[] {
  return asElements(item[list]).flatMap((value, at) => {
    const part = asObject(value) ?? {};
    const here = { ...place, [index]: at };
    const text = streamedTextsByPartType.get(asString(part["type"]) ?? "");
    const begun = text === undefined ? part : { ...part, [text.member]: "" };
    return [
      print(`${event}.added`, { ...here, part: begun }),
      ...(text === undefined ? [] : textFrames(print, text, here, part)),
      print(`${event}.done`, { ...here, part }),
    ];
  });
}

function textFrames(
  print: Print,
  form: StreamedTextField,
  place: JsonObject,
  holder: JsonObject,
): readonly string[] {
  const text = holder[form.member];
  const beside = buildTextEventLogprobs(form, holder["logprobs"]);
  const delta = print(`${form.event}.delta`, { ...place, delta: text, ...beside });
  return [delta, print(`${form.event}.done`, { ...place, [form.member]: text, ...beside })];
}
