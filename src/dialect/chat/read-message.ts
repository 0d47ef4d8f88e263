import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../json.ts";
import type { Citation } from "../neutral-event.ts";

/** Text that a message or delta says, by what it is. */
export interface ChatMessageText {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
}

/**
 * The words of an upstream's message, or of a piece of one. Thoughts have three
 * names in the wild, and some servers put them into `content` as parts.
 */
export function readChatMessageText(message: JsonObject): ChatMessageText {
  const { content } = message;
  const text = asString(content);
  const parts = text === undefined ? partsOf(content) : nothing;
  return {
    text: text ?? textsOf(parts, "text"),
    reasoning: readReasoning(message) || textsOf(parts, "thinking"),
    refusal: asString(message["refusal"]) ?? textsOf(parts, "refusal"),
  };
}

function partsOf(content: unknown): readonly JsonObject[] {
  return asArrayOrEmpty(content).flatMap((part) => asObject(part) ?? nothing);
}

const nothing: readonly JsonObject[] = [];

function readReasoning(message: JsonObject): string {
  const plain = asString(message["reasoning_content"]) || asString(message["reasoning"]);
  if (plain || message["reasoning_details"] === undefined) return plain ?? "";
  return asArrayOrEmpty(message["reasoning_details"])
    .map((entry) => asObject(entry))
    .map((entry) => asString(entry?.["text"]) ?? asString(entry?.["summary"]) ?? "")
    .join("");
}

/** The member has the part's own name; thinking holds texts again. */
function textsOf(parts: readonly JsonObject[], type: string): string {
  if (parts.length === 0) return "";
  return parts
    .filter((part) => part["type"] === type)
    .map((part) => asString(part[type]) ?? innerTexts(part[type]))
    .join("");
}

function innerTexts(value: unknown): string {
  return asArrayOrEmpty(value)
    .map((part) => asString(asObject(part)?.["text"]) ?? "")
    .join("");
}

/** Sources that an upstream named for its text. */
export function readChatCitations(message: JsonObject): readonly Citation[] {
  if (message["annotations"] === undefined) return [];
  return asArrayOrEmpty(message["annotations"]).flatMap((entry) => {
    const cited = asObject(asObject(entry)?.["url_citation"]);
    const url = asString(cited?.["url"]);
    if (cited === undefined || url === undefined) return [];
    const [start, end] = [placeOf(cited["start_index"]), placeOf(cited["end_index"])];
    return [{ url, title: asString(cited["title"]) ?? "", citedText: undefined, start, end }];
  });
}

function placeOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
