import type { JsonObject } from "../json.ts";
import type { Citation, NeutralPartDelta } from "../neutral-event.ts";
import { encodeLogprobs } from "./logprobs.ts";
import {
  encodeAnnotation,
  buildOutputContentPart,
  type OutputItemStatus,
  buildMessageItem,
} from "./output-items.ts";
import {
  type DeltaFrameTemplate,
  buildDeltaFrameTemplate,
  type StreamSequenceCounter,
  serializeDeltaFrame,
  serializeResponsesFrame,
} from "./stream-frames.ts";

/** A message being written: a run of texts and refusals. */
export interface StreamingMessageItem {
  readonly type: "message";
  readonly id: string;
  readonly index: number;
  readonly contents: StreamingMessageContent[];
}

export interface StreamingMessageContent {
  readonly type: "text" | "refusal";
  readonly place: ContentPlace;
  readonly frame: DeltaFrameTemplate;
  text: string;
  readonly logprobs: unknown[];
  /** Held back to the end of the part: some have no place but the whole text. */
  readonly citations: Citation[];
}

interface ContentPlace extends JsonObject {
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
}

export function toResponsesMessageItem(
  message: StreamingMessageItem,
  status: OutputItemStatus,
): JsonObject {
  return buildMessageItem(message.id, status, message.contents.map(buildOutputContentPart));
}

/** Adds a part to the message and announces it. */
export function addMessageContentPart(
  counter: StreamSequenceCounter,
  message: StreamingMessageItem,
  type: StreamingMessageContent["type"],
): string {
  const place = {
    item_id: message.id,
    output_index: message.index,
    content_index: message.contents.length,
  };
  const content = {
    type,
    place,
    frame: frameOf(type, place),
    text: "",
    logprobs: [],
    citations: [],
  };
  message.contents.push(content);
  return serializeResponsesFrame(counter, "response.content_part.added", {
    ...place,
    part: buildOutputContentPart(content),
  });
}

export function appendMessageContentDelta(
  counter: StreamSequenceCounter,
  content: StreamingMessageContent,
  delta: NeutralPartDelta,
): string {
  if (delta.type === "citation") content.citations.push(delta.citation);
  if (delta.type !== "text") return "";
  content.text += delta.text;
  if (delta.logprobs !== undefined && delta.logprobs.length > 0) {
    for (const logprob of delta.logprobs) content.logprobs.push(logprob);
    return serializeLikelyDelta(counter, content, delta.text, delta.logprobs);
  }
  return delta.text === "" ? "" : serializeDeltaFrame(counter, content.frame, delta.text);
}

/** The events that end a part: two of them repeat its text. */
export function* closeMessageContent(
  counter: StreamSequenceCounter,
  content: StreamingMessageContent,
): Iterable<string> {
  const part = buildOutputContentPart(content);
  yield serializeAnnotations(counter, content);
  yield serializeContentDone(counter, content, part);
  yield serializeResponsesFrame(counter, "response.content_part.done", { ...content.place, part });
}

function frameOf(type: StreamingMessageContent["type"], place: ContentPlace): DeltaFrameTemplate {
  return type === "refusal"
    ? buildDeltaFrameTemplate("response.refusal.delta", place)
    : buildDeltaFrameTemplate("response.output_text.delta", place, { logprobs: [] });
}

function serializeLikelyDelta(
  counter: StreamSequenceCounter,
  content: StreamingMessageContent,
  text: string,
  logprobs: readonly unknown[],
): string {
  const fields = { ...content.place, delta: text, logprobs: encodeLogprobs(logprobs) };
  return serializeResponsesFrame(counter, "response.output_text.delta", fields);
}

function serializeAnnotations(
  counter: StreamSequenceCounter,
  { place, text, citations }: StreamingMessageContent,
): string {
  return citations
    .map((citation, index) =>
      serializeResponsesFrame(counter, "response.output_text.annotation.added", {
        ...place,
        annotation_index: index,
        annotation: encodeAnnotation(citation, text),
      }),
    )
    .join("");
}

function serializeContentDone(
  counter: StreamSequenceCounter,
  content: StreamingMessageContent,
  part: JsonObject,
): string {
  const { place, text } = content;
  return content.type === "refusal"
    ? serializeResponsesFrame(counter, "response.refusal.done", { ...place, refusal: text })
    : serializeResponsesFrame(counter, "response.output_text.done", {
        ...place,
        text,
        logprobs: part["logprobs"],
      });
}
