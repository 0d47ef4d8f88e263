import type { JsonObject } from "../json.ts";
import type { Citation, NeutralPartDelta } from "../neutral-event.ts";
import { encodeResponsesLogprobs } from "./logprobs.ts";
import {
  encodeResponsesAnnotation,
  buildResponsesOutputContentPart,
  type ResponsesOutputItemStatus,
  buildResponsesMessageItem,
} from "./output-items.ts";
import {
  type ResponsesDeltaFrameTemplate,
  buildResponsesDeltaFrameTemplate,
  type ResponsesStreamSequenceCounter,
  serializeResponsesDeltaFrame,
  serializeResponsesFrame,
} from "./stream-frames.ts";

/** A message being written: a run of texts and refusals. */
export interface ResponsesStreamingMessageItem {
  readonly type: "message";
  readonly id: string;
  readonly index: number;
  readonly contents: ResponsesStreamingMessageContent[];
}

export interface ResponsesStreamingMessageContent {
  readonly type: "text" | "refusal";
  readonly place: ContentPlace;
  readonly frame: ResponsesDeltaFrameTemplate;
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
  message: ResponsesStreamingMessageItem,
  status: ResponsesOutputItemStatus,
): JsonObject {
  return buildResponsesMessageItem(
    message.id,
    status,
    message.contents.map(buildResponsesOutputContentPart),
  );
}

/** Adds a part to the message and announces it. */
export function addMessageContentPart(
  counter: ResponsesStreamSequenceCounter,
  message: ResponsesStreamingMessageItem,
  type: ResponsesStreamingMessageContent["type"],
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
    part: buildResponsesOutputContentPart(content),
  });
}

export function appendResponsesMessageContentDelta(
  counter: ResponsesStreamSequenceCounter,
  content: ResponsesStreamingMessageContent,
  delta: NeutralPartDelta,
): string {
  if (delta.type === "citation") content.citations.push(delta.citation);
  if (delta.type !== "text") return "";
  content.text += delta.text;
  if (delta.logprobs !== undefined && delta.logprobs.length > 0) {
    for (const logprob of delta.logprobs) content.logprobs.push(logprob);
    return serializeLikelyDelta(counter, content, delta.text, delta.logprobs);
  }
  return delta.text === "" ? "" : serializeResponsesDeltaFrame(counter, content.frame, delta.text);
}

/** The events that end a part: two of them repeat its text. */
export function* closeMessageContent(
  counter: ResponsesStreamSequenceCounter,
  content: ResponsesStreamingMessageContent,
): Iterable<string> {
  const part = buildResponsesOutputContentPart(content);
  yield serializeAnnotations(counter, content);
  yield serializeContentDone(counter, content, part);
  yield serializeResponsesFrame(counter, "response.content_part.done", { ...content.place, part });
}

function frameOf(
  type: ResponsesStreamingMessageContent["type"],
  place: ContentPlace,
): ResponsesDeltaFrameTemplate {
  return type === "refusal"
    ? buildResponsesDeltaFrameTemplate("response.refusal.delta", place)
    : buildResponsesDeltaFrameTemplate("response.output_text.delta", place, { logprobs: [] });
}

function serializeLikelyDelta(
  counter: ResponsesStreamSequenceCounter,
  content: ResponsesStreamingMessageContent,
  text: string,
  logprobs: readonly unknown[],
): string {
  const fields = { ...content.place, delta: text, logprobs: encodeResponsesLogprobs(logprobs) };
  return serializeResponsesFrame(counter, "response.output_text.delta", fields);
}

function serializeAnnotations(
  counter: ResponsesStreamSequenceCounter,
  { place, text, citations }: ResponsesStreamingMessageContent,
): string {
  return citations
    .map((citation, index) =>
      serializeResponsesFrame(counter, "response.output_text.annotation.added", {
        ...place,
        annotation_index: index,
        annotation: encodeResponsesAnnotation(citation, text),
      }),
    )
    .join("");
}

function serializeContentDone(
  counter: ResponsesStreamSequenceCounter,
  content: ResponsesStreamingMessageContent,
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
