import type { JsonObject } from "../json.ts";
import type { Citation, PartDelta } from "../neutral-event.ts";
import { encodeLogprobs } from "./logprobs.ts";
import {
  encodeAnnotation,
  buildContentPart,
  type ItemStatus,
  buildMessageItem,
} from "./output-items.ts";
import {
  type DeltaFrameTemplate,
  buildDeltaFrameTemplate,
  type SequenceCounter,
  serializeDelta,
  serializeFrame,
} from "./stream-frames.ts";

/** A message being written: a run of texts and refusals. */
export interface OpenMessage {
  readonly type: "message";
  readonly id: string;
  readonly index: number;
  readonly contents: OpenContent[];
}

export interface OpenContent {
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

export function buildOpenMessageItem(message: OpenMessage, status: ItemStatus): JsonObject {
  return buildMessageItem(message.id, status, message.contents.map(buildContentPart));
}

/** Adds a part to the message and announces it. */
export function addContentPart(
  counter: SequenceCounter,
  message: OpenMessage,
  type: OpenContent["type"],
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
  return serializeFrame(counter, "response.content_part.added", {
    ...place,
    part: buildContentPart(content),
  });
}

export function serializeContentDelta(
  counter: SequenceCounter,
  content: OpenContent,
  delta: PartDelta,
): string {
  if (delta.type === "citation") content.citations.push(delta.citation);
  if (delta.type !== "text") return "";
  content.text += delta.text;
  if (delta.logprobs !== undefined && delta.logprobs.length > 0) {
    for (const logprob of delta.logprobs) content.logprobs.push(logprob);
    return serializeLikelyDelta(counter, content, delta.text, delta.logprobs);
  }
  return delta.text === "" ? "" : serializeDelta(counter, content.frame, delta.text);
}

/** The events that end a part: two of them repeat its text. */
export function* closeContent(counter: SequenceCounter, content: OpenContent): Iterable<string> {
  const part = buildContentPart(content);
  yield serializeAnnotations(counter, content);
  yield serializeContentDone(counter, content, part);
  yield serializeFrame(counter, "response.content_part.done", { ...content.place, part });
}

function frameOf(type: OpenContent["type"], place: ContentPlace): DeltaFrameTemplate {
  return type === "refusal"
    ? buildDeltaFrameTemplate("response.refusal.delta", place)
    : buildDeltaFrameTemplate("response.output_text.delta", place, { logprobs: [] });
}

function serializeLikelyDelta(
  counter: SequenceCounter,
  content: OpenContent,
  text: string,
  logprobs: readonly unknown[],
): string {
  const fields = { ...content.place, delta: text, logprobs: encodeLogprobs(logprobs) };
  return serializeFrame(counter, "response.output_text.delta", fields);
}

function serializeAnnotations(
  counter: SequenceCounter,
  { place, text, citations }: OpenContent,
): string {
  return citations
    .map((citation, index) =>
      serializeFrame(counter, "response.output_text.annotation.added", {
        ...place,
        annotation_index: index,
        annotation: encodeAnnotation(citation, text),
      }),
    )
    .join("");
}

function serializeContentDone(
  counter: SequenceCounter,
  content: OpenContent,
  part: JsonObject,
): string {
  const { place, text } = content;
  return content.type === "refusal"
    ? serializeFrame(counter, "response.refusal.done", { ...place, refusal: text })
    : serializeFrame(counter, "response.output_text.done", {
        ...place,
        text,
        logprobs: part["logprobs"],
      });
}
