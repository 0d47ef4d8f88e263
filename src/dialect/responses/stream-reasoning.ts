import type { ResponseEncodingContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { NeutralPartDelta } from "../neutral-event.ts";
import type { EncryptedReasoning } from "../neutral-request.ts";
import { encodeResponsesReasoningOutputItem } from "./encode-response.ts";
import { type ResponsesOutputItemStatus, buildResponsesSummaryPart } from "./output-items.ts";
import {
  buildResponsesDeltaFrameTemplate,
  type ResponsesStreamSequenceCounter,
  serializeResponsesDeltaFrame,
  serializeResponsesFrame,
} from "./stream-frames.ts";

/** A reasoning item being written; without summaries its words stay here. */
export interface ResponsesStreamingReasoningItem {
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
  { id, texts, seal }: ResponsesStreamingReasoningItem,
  status: ResponsesOutputItemStatus,
  context: ResponseEncodingContext,
): JsonObject {
  return encodeResponsesReasoningOutputItem({ texts, encrypted: seal }, id, status, context);
}

export function appendResponsesStreamedReasoningDelta(
  counter: ResponsesStreamSequenceCounter,
  item: ResponsesStreamingReasoningItem,
  delta: NeutralPartDelta,
): string {
  if (delta.type === "encrypted-reasoning") item.seal = delta.seal;
  if (delta.type === "next-summary")
    return [...closeReasoningSummary(counter, item)].join("") + openPart(counter, item);
  return delta.type === "text" ? extendPart(counter, item, delta.text) : "";
}

/** The events that end the open summary part; none when there is no such part. */
export function* closeReasoningSummary(
  counter: ResponsesStreamSequenceCounter,
  item: ResponsesStreamingReasoningItem,
): Iterable<string> {
  const text = item.texts.at(-1);
  if (text === undefined || !item.hasSummaries) return;
  const place = placeOf(item);
  yield serializeResponsesFrame(counter, "response.reasoning_summary_text.done", {
    ...place,
    text,
  });
  const part = buildResponsesSummaryPart(text);
  yield serializeResponsesFrame(counter, "response.reasoning_summary_part.done", {
    ...place,
    part,
  });
}

function openPart(
  counter: ResponsesStreamSequenceCounter,
  item: ResponsesStreamingReasoningItem,
): string {
  item.texts.push("");
  if (!item.hasSummaries) return "";
  const fields = { ...placeOf(item), part: buildResponsesSummaryPart("") };
  return serializeResponsesFrame(counter, "response.reasoning_summary_part.added", fields);
}

function extendPart(
  counter: ResponsesStreamSequenceCounter,
  item: ResponsesStreamingReasoningItem,
  text: string,
): string {
  const opening = item.texts.length === 0 ? openPart(counter, item) : "";
  item.texts.push((item.texts.pop() ?? "") + text);
  if (!item.hasSummaries || text === "") return opening;
  return (
    opening +
    serializeResponsesDeltaFrame(
      counter,
      buildResponsesDeltaFrameTemplate(summaryDelta, placeOf(item)),
      text,
    )
  );
}

function placeOf({ id, index, texts }: ResponsesStreamingReasoningItem): JsonObject {
  return { item_id: id, output_index: index, summary_index: texts.length - 1 };
}
