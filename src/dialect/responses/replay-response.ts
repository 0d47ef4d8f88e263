import { lookupTable } from "../../platform/lookup-table.ts";
import { asArray, asObject, asString, type JsonObject } from "../json.ts";
import { printFrame, type FrameCounter } from "./stream-frames.ts";

/** A text of a part, as a stream tells it: the head of its events' names, and the member that has it. */
interface PartText {
  readonly event: string;
  readonly member: string;
}

const partTexts = lookupTable<PartText>({
  output_text: { event: "response.output_text", member: "text" },
  refusal: { event: "response.refusal", member: "refusal" },
  reasoning_text: { event: "response.reasoning_text", member: "text" },
  summary_text: { event: "response.reasoning_summary_text", member: "text" },
});

/** Texts that stand in the item itself. */
const itemTexts = lookupTable<PartText>({
  function_call: { event: "response.function_call_arguments", member: "arguments" },
  custom_tool_call: { event: "response.custom_tool_call_input", member: "input" },
});

const partLists = [
  { list: "summary", index: "summary_index", event: "response.reasoning_summary_part" },
  { list: "content", index: "content_index", event: "response.content_part" },
] as const;

/**
 * The frames of a stream that would have told a response which has ended, each text in
 * one piece: the same at every call, numbered from 0.
 */
export function replayResponse(response: JsonObject): readonly string[] {
  const counter: FrameCounter = { next: 0 };
  const print = (type: string, fields: JsonObject): string => printFrame(counter, type, fields);
  const begun = { ...response, status: "in_progress", completed_at: null, output: [], usage: null };
  const items = asArray(response["output"]).map((item) => asObject(item) ?? {});
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
  const text = itemTexts.get(asString(item["type"]) ?? "");
  const empty = partLists
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
    ...partLists.flatMap((kind) => partFrames(print, item, place, kind)),
    ...(text === undefined ? [] : textFrames(print, text, place, item)),
    print("response.output_item.done", { output_index, item }),
  ];
}

function partFrames(
  print: Print,
  item: JsonObject,
  place: JsonObject,
  { list, index, event }: (typeof partLists)[number],
): readonly string[] {
  return asArray(item[list]).flatMap((value, at) => {
    const part = asObject(value) ?? {};
    const here = { ...place, [index]: at };
    const text = partTexts.get(asString(part["type"]) ?? "");
    const begun = text === undefined ? part : { ...part, [text.member]: "" };
    return [
      print(`${event}.added`, { ...here, part: begun }),
      ...(text === undefined ? [] : textFrames(print, text, here, part)),
      print(`${event}.done`, { ...here, part }),
    ];
  });
}

/** Output text has its log probabilities beside it, none where nobody asked. */
function textFrames(
  print: Print,
  { event, member }: PartText,
  place: JsonObject,
  holder: JsonObject,
): readonly string[] {
  const text = holder[member];
  const logprobs = event === "response.output_text" ? { logprobs: holder["logprobs"] ?? [] } : {};
  const delta = print(`${event}.delta`, { ...place, delta: text, ...logprobs });
  return [delta, print(`${event}.done`, { ...place, [member]: text, ...logprobs })];
}
