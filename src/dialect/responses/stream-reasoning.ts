import type { ResponseEncodingContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { NeutralPartDelta } from "../neutral-event.ts";
import type { EncryptedReasoning } from "../neutral-request.ts";
import { encodeReasoningOutputItem } from "./encode-response.ts";
import { type OutputItemStatus, buildSummaryPart } from "./output-items.ts";
import {
  buildDeltaFrameTemplate,
  type StreamSequenceCounter,
  serializeDeltaFrame,
  serializeResponsesFrame,
} from "./stream-frames.ts";

/** A reasoning item being written; without summaries its words stay here. */
export interface StreamingReasoningItem {
  readonly type: "reasoning";
  readonly id: string;
  readonly index: number;
  readonly hasSummaries: boolean;
  /** One entry per summary part; the last one is open. */
  readonly texts: string[];
  seal: EncryptedReasoning | undefined;
}

const summaryDelta = "response.reasoning_summary_text.delta";

export function streamingReasoningToJson(
  { id, texts, seal }: StreamingReasoningItem,
  status: OutputItemStatus,
  context: ResponseEncodingContext,
): JsonObject {
  return encodeReasoningOutputItem({ texts, encrypted: seal }, id, status, context);
}

export function appendStreamedReasoningDelta(
  counter: StreamSequenceCounter,
  item: StreamingReasoningItem,
  delta: NeutralPartDelta,
): string {
  if (delta.type === "encrypted-reasoning") item.seal = delta.seal;
  if (delta.type === "next-summary")
    return [...closeReasoningSummary(counter, item)].join("") + openPart(counter, item);
  return delta.type === "text" ? extendPart(counter, item, delta.text) : "";
}

/** The events that end the open summary part; none when there is no such part. */
export function* closeReasoningSummary(
  counter: StreamSequenceCounter,
  item: StreamingReasoningItem,
): Iterable<string> {
  const text = item.texts.at(-1);
  if (text === undefined || !item.hasSummaries) return;
  const place = placeOf(item);
  yield serializeResponsesFrame(counter, "response.reasoning_summary_text.done", {
    ...place,
    text,
  });
  const part = buildSummaryPart(text);
  yield serializeResponsesFrame(counter, "response.reasoning_summary_part.done", {
    ...place,
    part,
  });
}

function openPart(counter: StreamSequenceCounter, item: StreamingReasoningItem): string {
  item.texts.push("");
  if (!item.hasSummaries) return "";
  const fields = { ...placeOf(item), part: buildSummaryPart("") };
  return serializeResponsesFrame(counter, "response.reasoning_summary_part.added", fields);
}

function extendPart(
  counter: StreamSequenceCounter,
  item: StreamingReasoningItem,
  text: string,
): string {
  const opening = item.texts.length === 0 ? openPart(counter, item) : "";
  item.texts.push((item.texts.pop() ?? "") + text);
  if (!item.hasSummaries || text === "") return opening;
  return (
    opening +
    serializeDeltaFrame(counter, buildDeltaFrameTemplate(summaryDelta, placeOf(item)), text)
  );
}

function placeOf({ id, index, texts }: StreamingReasoningItem): JsonObject {
  return { item_id: id, output_index: index, summary_index: texts.length - 1 };
}
